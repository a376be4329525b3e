"""The executor: what each host operation does on a device."""
