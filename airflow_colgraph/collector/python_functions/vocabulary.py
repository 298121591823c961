"""What is known of pandas, numpy and Python by name: behaviour in tables.

docs/coverage.md lists them. What is in none of them is opaque.
"""

from __future__ import annotations

ELEMENTWISE = frozenset(  # methods of columns, and of scalars: each element of its own row's
    {
        *("abs", "add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "radd", "rsub"),
        *("rmul", "rdiv", "rtruediv", "rfloordiv", "rmod", "rpow", "eq", "ne", "lt", "le", "gt"),
        *("ge", "astype", "round", "isin", "isna", "isnull", "notna", "notnull", "between", "clip"),
        *("replace", "convert_dtypes", "infer_objects", "isnumeric", "floor", "ceil", "normalize"),
        # texts
        *("upper", "lower", "strip", "lstrip", "rstrip", "title", "capitalize", "swapcase"),
        *("casefold", "startswith", "endswith", "split", "rsplit", "join", "zfill", "ljust"),
        *("rjust", "center", "format", "encode", "decode", "isdigit", "isalpha", "isalnum"),
        *("isupper", "islower", "isspace", "removeprefix", "removesuffix", "partition"),
        *("contains", "len", "slice", "fullmatch", "match", "pad", "cat_", "hex"),
        # dates
        *("strftime", "date", "time", "isoformat", "total_seconds", "day_name", "month_name"),
        *("to_pydatetime", "timestamp", "weekday", "isoweekday", "tz_localize", "tz_convert"),
        *("toordinal", "quantize", "as_py", "conjugate", "bit_length", "isocalendar", "ctime"),
        *("timetuple", "astimezone", "utcoffset", "to_period", "to_timestamp", "dst"),
        # texts and matches
        *("translate", "maketrans", "expandtabs", "splitlines", "rpartition", "find", "rfind"),
        *("rindex", "isidentifier", "istitle", "isdecimal", "isprintable", "format_map"),
        *("group", "groups", "groupdict", "span", "finditer", "findall", "search", "subn"),
    }
)
SCALAR_METHODS = frozenset(  # of values that are no columns: parts of a text of JSON, mostly
    {
        *("items", "keys", "values", "copy", "index"),
    }
)
SAME_VALUES = frozenset({"copy", "to_numpy", "to_frame_"})
ELEMENT_ATTRIBUTES = frozenset(
    {
        *("year", "month", "day", "hour", "minute", "second", "microsecond", "nanosecond"),
        *("dayofweek", "day_of_week", "dayofyear", "day_of_year", "weekofyear", "week", "quarter"),
        *("is_month_start", "is_month_end", "is_quarter_start", "is_quarter_end", "days"),
        *("is_year_start", "is_year_end", "seconds", "real", "imag", "daysinmonth"),
        *("days_in_month", "tzinfo"),
    }
)
SAME_ATTRIBUTES = frozenset({"values", "array"})
ACCESSORS = frozenset({"str", "dt"})
AGGREGATES = frozenset(  # methods of columns, tables and groups: one value for many
    {
        *("sum", "mean", "min", "max", "std", "var", "median", "count", "nunique", "any", "all"),
        *("prod", "product", "quantile", "sem", "skew", "kurt", "first", "last"),
        *("idxmin", "idxmax", "argmin", "argmax"),
    }
)
IN_ORDER = frozenset(  # methods of columns: each element depends on those around it
    {
        *("shift", "diff", "cumsum", "cumprod", "cummax", "cummin", "pct_change", "rank"),
        *("ffill", "bfill", "interpolate", "duplicated"),
    }
)
WINDOWS = frozenset({"rolling", "expanding", "ewm"})
OTHER_ROWS = frozenset({"head", "tail", "sample", "nlargest", "nsmallest", "truncate"})

# Of the library's functions, those that compute element by element, by their names.
FUNCTIONS_BY_ELEMENT = frozenset(
    {
        *(f"builtins.{name}" for name in ("abs", "round", "pow", "divmod")),
        *(f"numpy.{name}" for name in ("abs", "absolute", "sqrt", "exp", "expm1", "log", "log1p")),
        *(f"numpy.{name}" for name in ("log2", "log10", "sin", "cos", "tan", "arcsin", "arccos")),
        *(f"numpy.{name}" for name in ("arctan", "arctan2", "sinh", "cosh", "tanh", "floor")),
        *(f"numpy.{name}" for name in ("ceil", "round", "around", "rint", "trunc", "sign", "clip")),
        *(f"numpy.{name}" for name in ("maximum", "minimum", "fmax", "fmin", "power", "add")),
        *(f"numpy.{name}" for name in ("subtract", "multiply", "divide", "mod", "hypot", "square")),
        *(f"numpy.{name}" for name in ("isnan", "isfinite", "isinf", "isin", "radians", "degrees")),
        *(f"numpy.{name}" for name in ("logical_and", "logical_or", "logical_not", "negative")),
        *(f"numpy.{name}" for name in ("float64", "float32", "int64", "int32", "nan_to_num")),
        *(f"numpy.{name}" for name in ("arange", "zeros", "ones", "full", "linspace")),
        *(f"pandas.{name}" for name in ("isna", "isnull", "notna", "notnull", "Timestamp")),
        *(f"pandas.{name}" for name in ("Timedelta", "to_datetime", "to_numeric", "to_timedelta")),
        *(f"math.{name}" for name in ("sqrt", "exp", "log", "log2", "log10", "floor", "ceil")),
        *(
            f"math.{name}"
            for name in ("sin", "cos", "tan", "atan", "atan2", "pow", "fabs", "hypot")
        ),
        *(f"math.{name}" for name in ("asin", "acos", "sinh", "cosh", "tanh", "fmod", "gcd")),
        *(f"math.{name}" for name in ("copysign", "isclose", "log1p", "expm1", "factorial")),
        *(f"math.{name}" for name in ("isqrt", "comb", "dist")),
        *(f"numpy.{name}" for name in ("digitize", "searchsorted", "cbrt", "floor_divide")),
        *(f"numpy.{name}" for name in ("remainder", "true_divide", "deg2rad", "rad2deg")),
        *(f"numpy.{name}" for name in ("equal", "not_equal", "greater", "greater_equal")),
        *(f"numpy.{name}" for name in ("less", "less_equal", "interp", "bool_", "str_")),
        *(f"numpy.{name}" for name in ("zeros_like", "ones_like", "full_like", "arcsinh")),
        *(f"base64.{name}" for name in ("b64encode", "b64decode", "b16encode", "b32encode")),
        *(f"base64.{name}" for name in ("urlsafe_b64encode", "urlsafe_b64decode")),
        *("uuid.UUID", "zlib.crc32", "zlib.adler32", "unicodedata.normalize"),
        *("binascii.hexlify", "binascii.unhexlify", "binascii.crc32"),
        *(f"re.Pattern.{name}" for name in ("sub", "match", "search", "findall", "fullmatch")),
        *(f"re.Pattern.{name}" for name in ("split", "subn", "finditer")),
        *(f"re.{name}" for name in ("subn", "finditer")),
        *(f"math.{name}" for name in ("isnan", "isfinite", "isinf", "radians", "degrees", "trunc")),
        *(f"re.{name}" for name in ("sub", "match", "search", "findall", "fullmatch", "split")),
        *(f"re.{name}" for name in ("compile", "escape")),
        *("datetime.datetime", "datetime.date"),
        *("datetime.timedelta", "datetime.datetime.strptime", "datetime.datetime.fromtimestamp"),
        *("datetime.datetime.fromisoformat", "datetime.date.fromisoformat", "datetime.time"),
        *(f"operator.{name}" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod")),
        *(f"pyarrow.{name}" for name in ("add", "subtract", "multiply", "divide", "power", "abs")),
        *(f"pyarrow.{name}" for name in ("negate", "round", "floor", "ceil", "sqrt", "exp", "ln")),
        *(f"pyarrow.{name}" for name in ("equal", "not_equal", "greater", "greater_equal")),
        *(f"pyarrow.{name}" for name in ("less", "less_equal", "and_", "or_", "invert", "cast")),
        *(f"pyarrow.{name}" for name in ("is_null", "is_valid", "is_in", "fill_null", "coalesce")),
        *(f"pyarrow.{name}" for name in ("utf8_upper", "utf8_lower", "utf8_length", "year")),
        *(f"pyarrow.{name}" for name in ("month", "day", "hour", "strftime", "if_else")),
    }
)
FUNCTIONS_OF_A_VALUE = frozenset(  # that make one value of a column, too
    {
        *(f"builtins.{name}" for name in ("str", "int", "float", "bool", "repr", "ord", "chr")),
        *(f"builtins.{name}" for name in ("hex", "bin", "bytes", "format", "complex", "ascii")),
        *("builtins.oct", "json.loads", "json.dumps", "decimal.Decimal", "time.strftime"),
    }
)
MASKING_FUNCTIONS = frozenset(
    f"hashlib.{name}"
    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")
) | {"uuid.uuid3", "uuid.uuid5"}
MASKED_METHODS = frozenset({"hexdigest", "digest"})
FUNCTIONS_OF_ALL = frozenset(  # one value of all that they are handed, rows too
    {
        *(f"builtins.{name}" for name in ("sum", "min", "max", "any", "all")),
        *(
            f"numpy.{name}"
            for name in ("sum", "mean", "min", "max", "std", "var", "median", "prod")
        ),
        *(
            f"numpy.{name}"
            for name in ("percentile", "quantile", "any", "all", "nanmean", "nansum")
        ),
        *(f"statistics.{name}" for name in ("mean", "median", "stdev")),
        *(f"pyarrow.{name}" for name in ("sum", "mean", "min", "max", "count", "min_max")),
        *(f"pyarrow.{name}" for name in ("stddev", "variance")),
        "math.fsum",
    }
)
PURE = frozenset(  # libraries of whose functions one that is unknown only reads its arguments
    {"pandas", "numpy", "math", "datetime", "re", "decimal", "statistics", "string", "base64"}
)
IMPURE = (  # the beginnings of the names of those that do more
    *("numpy.random", "numpy.put", "numpy.place", "numpy.copyto", "numpy.fill", "numpy.save"),
    *("numpy.load", "numpy.from", "numpy.mem", "numpy.nditer", "numpy.genfromtxt", "numpy.set"),
    *("numpy.apply", "numpy.frompyfunc", "numpy.piecewise", "pandas.read", "pandas.eval"),
    *("pandas.set_", "pandas.option", "pandas.HDFStore", "pandas.Excel", "pandas.io"),
    *("pandas.DataFrame.", "pandas.Series.", "numpy.ndarray.", "pandas.reset_"),
    *("pandas.test", "numpy.ctypeslib", "numpy.lib", "numpy.core"),
)
CONSTANTS = frozenset(
    {
        *("numpy.nan", "numpy.pi", "numpy.e", "numpy.inf", "numpy.newaxis", "math.pi", "math.e"),
        *("string.ascii_letters", "string.ascii_lowercase", "string.digits"),
        *("string.ascii_uppercase", "string.punctuation", "string.whitespace"),
        *("math.inf", "math.nan", "pandas.NA", "pandas.NaT", "numpy.int64", "numpy.float64"),
    }
)
# numpy's functions take the array that they write into behind their inputs: the second argument, or
# behind so many. Those without such an argument come last.
INPUTS_BEFORE_OUT = {
    **dict.fromkeys(
        (
            *(f"numpy.{name}" for name in ("maximum", "minimum", "fmax", "fmin", "power", "add")),
            *(f"numpy.{name}" for name in ("subtract", "multiply", "divide", "mod", "hypot")),
            *(f"numpy.{name}" for name in ("logical_and", "logical_or", "arctan2", "remainder")),
            *(f"numpy.{name}" for name in ("floor_divide", "true_divide", "equal", "not_equal")),
            *(f"numpy.{name}" for name in ("greater", "greater_equal", "less", "less_equal")),
            *(f"numpy.{name}" for name in ("round", "around", "percentile", "quantile")),
        ),
        2,
    ),
    "numpy.clip": 3,
}
WITHOUT_OUT = frozenset(
    f"numpy.{name}"
    for name in (
        *("arange", "zeros", "ones", "full", "linspace", "isin", "digitize", "searchsorted"),
        *("interp", "zeros_like", "ones_like", "full_like", "float64", "float32", "int64"),
        *("int32", "bool_", "str_", "where", "nan_to_num"),
    )
)
NOTHING = frozenset({"builtins.print", "builtins.id", "builtins.object", "time.sleep"})
SOURCELESS_FUNCTIONS = frozenset(  # that have no argument that the answer comes from
    {
        *("datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today"),
        *("datetime.date.today", "pandas.Timestamp.now", "builtins.print", "builtins.id"),
        *("builtins.object", "uuid.uuid1", "uuid.uuid4", "time.time", "time.time_ns"),
        *(
            "time.sleep",
            "time.perf_counter",
            "time.monotonic",
            "time.process_time",
        ),
        *(f"logging.{name}" for name in ("debug", "info", "warning", "error", "exception")),
        *(f"logging.Logger.{name}" for name in ("debug", "info", "warning", "error")),
        *("logging.Logger.exception", "logging.Logger.critical", "logging.critical"),
    }
)

TABLE_ATTRIBUTES = frozenset(  # of a DataFrame of pandas 1.1 to 3: no columns are asked for by them
    {
        *("T", "abs", "add", "add_prefix", "add_suffix", "agg", "aggregate", "align", "all"),
        *("any", "append", "apply", "applymap", "asfreq", "asof", "assign", "astype", "at"),
        *("at_time", "attrs", "axes", "backfill", "between_time", "bfill", "bool", "boxplot"),
        *("clip", "columns", "combine", "combine_first", "compare", "convert_dtypes", "copy"),
        *("corr", "corrwith", "count", "cov", "cummax", "cummin", "cumprod", "cumsum"),
        *("describe", "diff", "div", "divide", "dot", "drop", "drop_duplicates", "droplevel"),
        *("dropna", "dtypes", "duplicated", "empty", "eq", "equals", "eval", "ewm", "expanding"),
        *("explode", "ffill", "fillna", "filter", "first", "first_valid_index", "flags"),
        *("floordiv", "from_arrow", "from_dict", "from_records", "ge", "get", "groupby", "gt"),
        *("head", "hist", "iat", "idxmax", "idxmin", "iloc", "index", "infer_objects", "info"),
        *("insert", "interpolate", "isetitem", "isin", "isna", "isnull", "items", "iteritems"),
        *("iterrows", "itertuples", "join", "keys", "kurt", "kurtosis", "last"),
        *("last_valid_index", "le", "loc", "lookup", "lt", "mad", "map", "mask", "max", "mean"),
        *("median", "melt", "memory_usage", "merge", "min", "mod", "mode", "mul", "multiply"),
        *("ndim", "ne", "nlargest", "notna", "notnull", "nsmallest", "nunique", "pad"),
        *("pandas_on_spark", "pct_change", "pipe", "pivot", "pivot_table", "plot", "pop", "pow"),
        *("prod", "product", "quantile", "query", "radd", "rank", "rdiv", "reindex"),
        *("reindex_like", "rename", "rename_axis", "reorder_levels", "replace", "resample"),
        *("reset_index", "rfloordiv", "rmod", "rmul", "rolling", "round", "rpow", "rsub"),
        *("rtruediv", "sample", "select_dtypes", "sem", "set_axis", "set_flags", "set_index"),
        *("shape", "shift", "size", "skew", "slice_shift", "sort_index", "sort_values"),
        *("sparse", "squeeze", "stack", "std", "str", "style", "sub", "subtract", "sum"),
        *("swapaxes", "swaplevel", "tail", "take", "to_clipboard", "to_csv", "to_dict"),
        *("to_excel", "to_feather", "to_gbq", "to_hdf", "to_html", "to_iceberg", "to_json"),
        *("to_latex", "to_markdown", "to_numpy", "to_orc", "to_parquet", "to_period"),
        *("to_pickle", "to_records", "to_sql", "to_stata", "to_string", "to_timestamp"),
        *("to_xarray", "to_xml", "transform", "transpose", "truediv", "truncate", "tshift"),
        *("tz_convert", "tz_localize", "unstack", "update", "value_counts", "values", "var"),
        *("where", "xs"),
    }
)
