"""An executor for assay: attempts are carried out by the workers of a dask cluster."""
