"""How long neural networks take, layer by layer: predicted by libpaleo, measured by the program paleo."""
# SPDX-License-Identifier: Apache-2.0
from paleo._library import PaleoError, version
from paleo.model import Device, Net, Prediction, device, devices, load, predict, simulate
from paleo.program import Profile, profile
from paleo.rows import Rows

__all__ = [
    "Device",
    "Net",
    "PaleoError",
    "Prediction",
    "Profile",
    "Rows",
    "device",
    "devices",
    "load",
    "predict",
    "profile",
    "simulate",
    "version",
]
