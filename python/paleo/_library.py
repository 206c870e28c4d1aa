"""libpaleo by ctypes: where it is, its structs (include/paleo/), and errors as exceptions."""
# SPDX-License-Identifier: Apache-2.0
import ctypes
import ctypes.util
import operator
import os
import shutil
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int, c_void_p

HEADERS = "0.2"  # the version that these structs are of; until 1.0 a minor version may change them
SONAME = "libpaleo.so.0"


class PaleoError(Exception):
    """What libpaleo or the program refused, in its own sentence; status as in paleo/error.h."""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status


class Error(Structure):
    _fields_ = [("status", c_int), ("text", c_char * 1024)]


class PredictorOptions(Structure):
    _fields_ = [(name, c_char_p) for name in ("device", "device_file", "calibration", "cost_model", "dtype")] + [
        ("ppp_compute", c_double),
        ("ppp_memory", c_double),
    ]


class PredictOptions(Structure):
    _fields_ = [("passes", c_char_p), ("layout", c_char_p), ("fuse", c_int)]


class Time(Structure):
    _fields_ = [
        (name, c_double)
        for name in (
            "total_s",
            "compute_s",
            "memory_s",
            "overhead_s",
            "low_s",
            "high_s",
            "low50_s",
            "high50_s",
        )
    ]


class Row(Structure):
    _fields_ = [
        (name, c_char_p) for name in ("layer", "kind", "pass", "dtype", "op", "bound", "source")
    ] + [("flops", c_double), ("bytes", c_double), ("predicted", c_int), ("time", Time)]


class Total(Structure):
    _fields_ = [
        ("time", Time),
        ("flops", c_double),
        ("rows", c_int),
        ("predicted", c_int),
        ("one_pass_s", c_double),
    ]


class Cluster(Structure):
    _fields_ = [
        ("workers", c_int),
        ("strategy", c_char_p),
        ("all_reduce", c_char_p),
        ("link", c_char_p),
        ("link_file", c_char_p),
        ("node_link", c_char_p),
        ("workers_per_node", c_int),
        ("optimizer", c_char_p),
        ("overlap", c_int),
        ("bucket_bytes", c_double),
    ]


class Step(Structure):
    _fields_ = [
        (name, c_double)
        for name in (
            "step_s",
            "fwd_s",
            "bwd_s",
            "update_s",
            "comm_s",
            "exposed_s",
            "bubble_s",
            "images_per_s",
            "speedup",
            "memory_bytes",
        )
    ]


def places():
    """Where libpaleo may be: $PALEO_LIBRARY, beside the program in PATH, where the system looks."""
    named = os.environ.get("PALEO_LIBRARY")
    if named:
        return [named]
    found = []
    program = shutil.which("paleo")
    if program:
        above = os.path.dirname(os.path.dirname(os.path.realpath(program)))
        found = [os.path.join(above, lib, SONAME) for lib in ("lib", "lib64", "lib/x86_64-linux-gnu")]
        found = [path for path in found if os.path.exists(path)]
    return found + [ctypes.util.find_library("paleo") or SONAME]


def _declare(lib):
    text, number, handle = c_char_p, c_int, c_void_p
    error = POINTER(Error)
    for name, result, *arguments in (
        ("version", text),
        ("net_open", number, text, number, POINTER(handle), error),
        ("net_with_batch", number, handle, number, POINTER(handle), error),
        ("net_close", None, handle),
        ("net_name", text, handle),
        ("net_title", text, handle),
        ("net_batch", number, handle),
        ("net_weight_count", c_double, handle),
        ("net_dtype_name", c_char_p, handle),
        ("net_layer_count", number, handle),
        ("net_layer_name", text, handle, number),
        ("net_layer_kind", text, handle, number),
        ("device_count", number),
        ("device_name_at", text, number),
        ("device_open", number, text, text, POINTER(handle), error),
        ("device_close", None, handle),
        ("device_name", text, handle),
        ("device_title", text, handle),
        ("device_peak_flop_per_s", c_double, handle, text),
        ("device_bytes_per_s", c_double, handle),
        ("device_memory_bytes", c_double, handle),
        ("predictor_open", number, POINTER(PredictorOptions), POINTER(handle), error),
        ("predictor_close", None, handle),
        ("predictor_title", text, handle),
        ("net_predict", number, handle, handle, POINTER(PredictOptions), POINTER(handle), error),
        ("net_prediction_close", None, handle),
        ("net_prediction_row_count", number, handle),
        ("net_prediction_row", number, handle, number, POINTER(Row)),
        ("net_prediction_total", number, handle, number, POINTER(Total)),
        ("net_simulate", number, handle, handle, POINTER(Cluster), POINTER(Step), error),
    ):
        function = getattr(lib, "paleo_" + name)
        function.restype = result
        function.argtypes = arguments


_loaded = []


def library():
    """libpaleo, loaded once."""
    if _loaded:
        return _loaded[0]
    tried = []
    for path in places():
        try:
            lib = ctypes.CDLL(path)
        except OSError as why:
            tried.append(str(why))
            continue
        _declare(lib)
        is_of = lib.paleo_version().decode()
        if is_of.rsplit(".", 1)[0] != HEADERS:
            raise PaleoError(f"{path} is of version {is_of}, this package is for {HEADERS}")
        _loaded.append(lib)
        return lib
    raise PaleoError(
        "libpaleo was not found: install paleo, put its bin/ into PATH, or set PALEO_LIBRARY to "
        f"{SONAME} ({'; '.join(tried)})"
    )


def version():
    """The version of libpaleo."""
    return library().paleo_version().decode()


def check(status, error):
    """Raises the library's own sentence where a function failed."""
    if status:
        raise PaleoError(error.text.decode(errors="replace"), status)


def opened(function, *arguments):
    """The handle that an _open function gives."""
    handle, error = c_void_p(), Error()
    check(function(*arguments, ctypes.byref(handle), ctypes.byref(error)), error)
    return handle


def named(name):
    """A name or path as str. C would read it up to a NUL."""
    text = os.fspath(name)
    if not isinstance(text, str):
        raise TypeError(f"expected str or os.PathLike, not {type(name).__name__}: {name!r}")
    if "\0" in text:
        raise ValueError(f"a name with a NUL: {text!r}")
    return text


def encoded(text):
    """Text for C; None stays NULL, which means the default."""
    return None if text is None else named(text).encode()


def whole(name, value, least=0):
    """A whole number for an int of C, which ctypes would take modulo 2^32."""
    number = operator.index(value)
    if not least <= number < 2**31:
        raise ValueError(f"{name} is {number}, expected a whole number from {least} to {2**31 - 1}")
    return number


def filled(struct, given):
    """A struct of options from a dict; what is missing or None is the default."""
    values = {}
    for name, kind in struct._fields_:
        value = given.get(name)
        if value is not None:
            values[name] = (
                encoded(value) if kind is c_char_p else whole(name, value) if kind is c_int else value
            )
    return struct(**values)


def decoded(text):
    return None if text is None else text.decode(errors="replace")
