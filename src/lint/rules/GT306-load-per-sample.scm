; GT306 load-per-sample
; title: the same file is read again for every sample
; why: the path does not depend on the sample, so a worker parses the whole file, or opens it, once per sample instead of once
; fix: read it once in __init__ (h5py, lmdb: open it once per worker, under if self.file is None), and index what was read
; priced-by: input-bound
((call function: (_) @function
   arguments: (argument_list . (_) @path) @arguments) @hit
 (#is? @function "pandas.read_*" "torch.load" "numpy.load" "numpy.loadtxt" "numpy.genfromtxt" "h5py.File" "lmdb.open" "sqlite3.connect" "scipy.io.loadmat" "zarr.open" "netCDF4.Dataset" "xarray.open_dataset" "safetensors.torch.load_file" "datasets.load_dataset" "datasets.load_from_disk" "pyarrow.parquet.read_table" "pyarrow.parquet.ParquetFile")
 (#invariant? @path)
 (#not-passes? @arguments "mmap_mode")
 (#not-kept? @hit)
 (#in-loader?))

; json.load(open(path)), pickle.load(open(path, "rb"))
((call function: (_) @function
   arguments: (argument_list . (call function: (identifier) @open arguments: (argument_list . (_) @path)))) @hit
 (#is? @function "json.load" "pickle.load" "yaml.safe_load" "yaml.load" "csv.reader")
 (#eq? @open "open")
 (#invariant? @path)
 (#not-kept? @hit)
 (#in-loader?))
