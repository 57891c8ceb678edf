"""A first config: a published recipe, sized by the memory account for given GPUs, in a framework's own words."""
