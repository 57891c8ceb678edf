from rftconf.studio.asked import Asked
def keys(asked): return {}
def explain(asked): return {}
def new(asked): return {}
def start(asked): return {}
