package config

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/knadh/koanf/providers/env/v2"
)

const envPrefix = "HELVE_"

// Variables with our prefix that are not keys.
const (
	envFile   = "HELVE_CONFIG" // the file; see Load
	envServer = "HELVE_SERVER" // the command line client's
	envToken  = "HELVE_TOKEN"  //nolint:gosec // a name; the command line client's
)

// serviceLink matches the variables that Kubernetes sets in every pod of a namespace
// with a service called helve or helve-something.
var serviceLink = pattern(
	`^HELVE_([A-Z0-9_]+_)?(SERVICE_HOST=|SERVICE_PORT(_[A-Z0-9_]+)?=|PORT=(tcp|udp|sctp)://|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?=)`,
)

// envName returns the variable of the key at path.
func envName(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// envLayer reads environ, in the form of os.Environ.
func envLayer(environ []string, known map[string]field) (layer, []*Problem) {
	paths := make(map[string]string, len(known))
	byVariable := make(map[string]field, len(known))
	for path, f := range known {
		paths[envName(path)] = path
		byVariable[envName(path)] = f
	}
	var problems []*Problem
	setBy := map[string]string{}
	transform := func(variable, value string) (string, any) {
		if value == "" || variable == envFile || variable == envServer || variable == envToken {
			return "", nil
		}
		name := envPrefix + strings.ReplaceAll(strings.TrimPrefix(variable, envPrefix), "__", "_")
		path, ok := paths[name]
		switch {
		case ok && setBy[path] != "" && setBy[path] != variable:
			problems = append(problems, &Problem{Path: path, From: variable, Text: "is set by " + setBy[path] + " too; want one of them"})
			return "", nil
		case ok:
			setBy[path] = variable
			return path, value
		case !serviceLink().MatchString(variable + "=" + value):
			problems = append(problems, &Problem{Path: textcut.Clip(variable, longestShown), Text: "unknown variable" + hint(name, byVariable)})
		}
		return "", nil
	}
	provider := env.Provider(".", env.Opt{
		Prefix:        envPrefix,
		TransformFunc: transform,
		EnvironFunc:   func() []string { return environ },
	})
	l, err := read(provider, nil, func(path string) string { return setBy[path] })
	if err != nil {
		problems = append(problems, &Problem{From: "the environment", Text: err.Error()})
	}
	return l, problems
}

// lookup returns the value of a variable in environ; the last one counts, as for a
// process.
func lookup(environ []string, variable string) string {
	for _, pair := range slices.Backward(environ) {
		if name, value, ok := strings.Cut(pair, "="); ok && name == variable {
			return value
		}
	}
	return ""
}
