package storm

import "testing"

func TestCheck(t *testing.T) {
	good := Options{Broker: func(string, string, []string) []string { return nil }, Dispatcher: []string{"d"}, Worker: []string{"w"}, Calls: 1}
	if err := good.Check(); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
	for name, spoil := range map[string]func(*Options){
		"no calls":      func(o *Options) { o.Calls = 0 },
		"too many":      func(o *Options) { o.Calls = maxCalls + 1 },
		"kills below 0": func(o *Options) { o.Kills = -1 },
		"callers":       func(o *Options) { o.Callers = manyCallers + 1 },
		"no worker":     func(o *Options) { o.Worker = nil },
		"two servers":   func(o *Options) { o.Nodes = 2 },
		"no server":     func(o *Options) { o.Broker = nil },
	} {
		o := good
		spoil(&o)
		if o.Check() == nil {
			t.Errorf("%s: Check = nil, want an error", name)
		}
	}
}
