"""Nets, devices, predictions and simulated steps: what include/paleo/ offers."""
# SPDX-License-Identifier: Apache-2.0
import ctypes
import math
import weakref

from paleo._library import (
    Cluster,
    Error,
    PredictOptions,
    PredictorOptions,
    Row,
    Step,
    Total,
    check,
    decoded,
    encoded,
    filled,
    library,
    opened,
    whole,
)
from paleo.rows import Rows

TOTALS = ("forward", "backward", "forward_backward", "update", "step")  # enum paleo_total
DTYPES = ("f32", "tf32", "f16", "bf16", "fp8")


def _known(number):
    """None in place of NaN, which means that it is not known."""
    return None if math.isnan(number) else number


def _fields(struct):
    return {name: _known(getattr(struct, name)) for name, _ in struct._fields_}


class Net:
    """A net at one batch; load() makes it."""

    def __init__(self, handle):
        self._handle = handle
        self._close = weakref.finalize(self, library().paleo_net_close, handle)

    def with_batch(self, batch):
        """The same net at another batch."""
        return Net(opened(library().paleo_net_with_batch, self._handle, whole("batch", batch, least=1)))

    @property
    def name(self):
        return decoded(library().paleo_net_name(self._handle))

    @property
    def title(self):
        return decoded(library().paleo_net_title(self._handle))

    @property
    def batch(self):
        return library().paleo_net_batch(self._handle)

    @property
    def dtype(self):
        """Its own dtype, else "f32"."""
        return decoded(library().paleo_net_dtype_name(self._handle))

    @property
    def weights(self):
        """How many numbers it learns."""
        return library().paleo_net_weight_count(self._handle)

    @property
    def layers(self):
        """(full name, kind) of each layer, in topological order."""
        lib = library()
        return [
            (
                decoded(lib.paleo_net_layer_name(self._handle, i)),
                decoded(lib.paleo_net_layer_kind(self._handle, i)),
            )
            for i in range(lib.paleo_net_layer_count(self._handle))
        ]

    def __repr__(self):
        return f"<paleo.Net {self.name}, batch {self.batch}, {len(self.layers)} layers>"


def load(name, batch=0):
    """A net: a file (.json, .prototxt, ...) or the bare name of a shipped one; batch 0: the file's."""
    return Net(opened(library().paleo_net_open, encoded(name), whole("batch", batch)))


class Device:
    """What its maker says of a device; device() looks it up."""

    def __init__(self, handle):
        lib = library()
        self.name = decoded(lib.paleo_device_name(handle))
        self.title = decoded(lib.paleo_device_title(handle))
        self.bytes_per_s = _known(lib.paleo_device_bytes_per_s(handle))
        self.memory_bytes = _known(lib.paleo_device_memory_bytes(handle))
        words = (*DTYPES, "fp4", "int8")
        peaks = {d: _known(lib.paleo_device_peak_flop_per_s(handle, encoded(d))) for d in words}
        self.peak_flop_per_s = {d: peak for d, peak in peaks.items() if peak is not None}
        lib.paleo_device_close(handle)

    def __repr__(self):
        return f"<paleo.Device {self.name}: {self.title}>"


def device(name, file=None):
    """A device by its name in any spelling; `file` describes more of them."""
    return Device(opened(library().paleo_device_open, encoded(name), encoded(file)))


def devices():
    """The names of the shipped devices."""
    lib = library()
    return [decoded(lib.paleo_device_name_at(i)) for i in range(lib.paleo_device_count())]


class _Predictor:
    def __init__(self, options):
        struct = filled(PredictorOptions, options)
        self.handle = opened(library().paleo_predictor_open, ctypes.byref(struct))
        self._close = weakref.finalize(self, library().paleo_predictor_close, self.handle)
        self.title = decoded(library().paleo_predictor_title(self.handle))


class Prediction:
    """How long a net takes: `rows`, one for each op of each layer and pass, and `totals` of them.

    Times are seconds; None where nothing tells. low_s to high_s holds the measured time in 90 % of the
    cases, low50_s to high50_s in 50 %.
    """

    def __init__(self, net, predictor, options):
        lib = library()
        handle = opened(lib.paleo_net_predict, predictor.handle, net._handle, ctypes.byref(options))
        self.title = predictor.title
        self.net, self.batch = net.name, net.batch
        self.rows = Rows(
            self._row(handle, i) for i in range(lib.paleo_net_prediction_row_count(handle))
        )
        self.totals = {}
        for which, name in enumerate(TOTALS):
            total = Total()
            if not lib.paleo_net_prediction_total(handle, which, ctypes.byref(total)):
                self.totals[name] = {
                    **_fields(total.time),
                    "flops": total.flops,
                    "rows": total.rows,
                    "predicted": total.predicted,
                    "one_pass_s": _known(total.one_pass_s),
                }
        lib.paleo_net_prediction_close(handle)

    def _row(self, handle, i):
        row = Row()
        check(library().paleo_net_prediction_row(handle, i, ctypes.byref(row)), Error())
        out = {"net": self.net, "batch": self.batch}
        for name in ("layer", "kind", "pass", "dtype", "op", "bound", "source"):
            out[name] = decoded(getattr(row, name))
        return {**out, "flops": row.flops, "bytes": row.bytes, **_fields(row.time)}

    def frame(self):
        """The rows as a pandas.DataFrame."""
        return self.rows.frame()

    def __repr__(self):
        return f"<paleo.Prediction of {self.net}, batch {self.batch}: {len(self.rows)} rows>"


def _net(net, batch):
    if not isinstance(net, Net):
        return load(net, batch or 0)
    return net.with_batch(batch) if batch and batch != net.batch else net


def predict(
    net,
    device=None,
    *,
    batch=None,
    dtype=None,
    cost_model=None,
    calibration=None,
    device_file=None,
    passes=None,
    layout=None,
    fuse=False,
    ppp_compute=0,
    ppp_memory=0,
):
    """Predicts a net (loaded, or its name) on a device; options as those of `paleo predict`."""
    net = _net(net, batch)
    dtype = dtype or net.dtype
    predictor = _Predictor(locals())
    options = filled(PredictOptions, locals())
    return Prediction(net, predictor, options)


def simulate(
    net,
    device=None,
    *,
    workers=1,
    batch=None,
    dtype=None,
    cost_model=None,
    calibration=None,
    device_file=None,
    ppp_compute=0,
    ppp_memory=0,
    **cluster,
):
    """One training step on several workers, each with the net's batch, as a dict of seconds.

    The further options are the fields of struct paleo_cluster: strategy, all_reduce, link, link_file,
    node_link, workers_per_node, optimizer, overlap, bucket_bytes.
    """
    net = _net(net, batch)
    dtype = dtype or net.dtype
    predictor = _Predictor(locals())
    unknown = cluster.keys() - {name for name, _ in Cluster._fields_}
    if unknown:
        raise TypeError(f"simulate() has no option '{sorted(unknown)[0]}'")
    cluster["workers"] = whole("workers", workers, least=1)
    options, step, error = filled(Cluster, cluster), Step(), Error()
    status = library().paleo_net_simulate(
        predictor.handle,
        net._handle,
        ctypes.byref(options),
        ctypes.byref(step),
        ctypes.byref(error),
    )
    check(status, error)
    return _fields(step)
