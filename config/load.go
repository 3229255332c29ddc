package config

import (
	"cmp"

	"github.com/spf13/pflag"
)

// Source is the origin of settings. Each part is optional.
type Source struct {
	// File is a YAML file. Empty means the file named by --config, else by
	// HELVE_CONFIG, else none.
	File string
	// Env is the environment in the form of os.Environ; nil means none.
	Env []string
	// Flags are parsed flags, registered by [Flags]; nil means none. Other flags in the
	// set are ignored.
	Flags *pflag.FlagSet
	// Defaults, if set, changes the defaults before the layers are applied.
	Defaults func(*Config)
}

// Load returns the defaults overlaid by file, environment and flags, in this order. The
// error joins a [*Problem] for everything that is wrong; the Config is then empty.
func Load(src Source) (Config, error) {
	c := Default()
	if src.Defaults != nil {
		src.Defaults(&c)
	}
	t := target{keys: keys(&c), from: map[string]string{}}
	var problems []*Problem
	if name := cmp.Or(src.File, fileFlag(src.Flags), lookup(src.Env, envFile)); name != "" {
		l, err := fileLayer(name)
		if err != nil {
			problems = append(problems, &Problem{From: name, Text: err.Error()})
		}
		problems = append(problems, t.apply(l)...)
	}
	l, wrong := envLayer(src.Env, t.keys)
	problems = append(append(problems, wrong...), t.apply(l)...)
	if src.Flags != nil {
		l, err := flagLayer(src.Flags)
		if err != nil {
			problems = append(problems, &Problem{From: "flags", Text: err.Error()})
		}
		problems = append(problems, t.apply(l)...)
	}
	for _, p := range c.problems() {
		p.From = t.from[p.Path]
		problems = append(problems, p)
	}
	if len(problems) > 0 {
		return Config{}, join(problems)
	}
	return c, nil
}
