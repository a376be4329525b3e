"""Lowering: from the checked tree to the intermediate form. `hosts` and `kernels` lower the two worlds; `ir.lower`
drives.
"""
