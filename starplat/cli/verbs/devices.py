"""`starplat devices`: lists devices, and the command that installs what is missing."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from starplat.cli import arguments, console

if TYPE_CHECKING:
    from rich.table import Table

    from starplat.toolchain.description import DeviceDescription


def devices(json: arguments.Json = False) -> None:
    """List the devices that programs can run on."""
    from starplat.toolchain.devices import devices as find

    found = find()
    if json:
        console.write_json({"schema": 1, "devices": [asdict(device) for device in found]})
        return
    console.show_table(_table(found))
    for command in dict.fromkeys(device.mend for device in found if device.mend):
        console.say(f"what is missing may come with: {command}")


def _table(found: "tuple[DeviceDescription, ...]") -> "Table":
    from rich.markup import escape

    table = console.table("target", "device", "name", "driver", "units", "memory", "status")
    for device in found:
        index = "-" if device.index is None else str(device.index)
        memory = f"{device.memory / 2**30:.1f} GiB" if device.memory else "-"
        units = str(device.compute_units or "-")
        table.add_row(device.target, index, *map(escape, (device.name, device.driver, units, memory, device.status)))
    return table
