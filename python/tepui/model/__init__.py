"""What a system is: shared states, threads, rules, visible states and properties.

Everything that reads programs ends here, and everything that analyses them starts here.
"""

from tepui.model.build import Block, Description, NamedPattern, NamedRule, build
from tepui.model.open_system import OpenSystem, SystemInstance
from tepui.model.property import Pattern, Property, Reach
from tepui.model.stack_sets import StackSet
from tepui.model.system import EPSILON, Rule, System, Template

__all__ = [
    "EPSILON",
    "Block",
    "Description",
    "NamedPattern",
    "NamedRule",
    "OpenSystem",
    "Pattern",
    "Property",
    "Reach",
    "Rule",
    "StackSet",
    "System",
    "SystemInstance",
    "Template",
    "build",
]
