"""HTTP/1.1 on sockets: requests read strictly, answers written byte by byte."""
