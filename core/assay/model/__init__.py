"""What an arrow of the data flow carries: frozen values, one module per part."""
