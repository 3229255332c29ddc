package config

import (
	"time"

	"github.com/knadh/koanf/providers/posflag"
	"github.com/spf13/pflag"
)

// Role is the kind of program that is configured; it determines the flags.
type Role int

// The roles: `helve up`, the dispatcher and the worker.
const (
	Up Role = iota + 1
	Dispatcher
	Worker
)

// keyNote is the annotation of a flag with the key it sets. The same flag sets
// different keys in different roles.
const keyNote = "helve_config_key"

// flag is one flag: its name, the key it sets in each role that has it, and its help
// text.
type flag struct {
	name string
	key  map[Role]string
	help string
}

func all(key string) map[Role]string { return map[Role]string{Up: key, Dispatcher: key, Worker: key} }

func runs(key string) map[Role]string { return map[Role]string{Up: key, Worker: key} }

func joins(key string) map[Role]string { return map[Role]string{Dispatcher: key, Worker: key} }

var flags = []flag{
	{"data", all("data"), "`DIR` of workspaces, keys and stored data"},
	{
		"http", map[Role]string{Up: "http.addr", Dispatcher: "http.addr", Worker: "worker.http_addr"},
		"`ADDR` to serve HTTP on; port 0 picks a free one",
	},
	{
		"nats", map[Role]string{Up: "up.nats_addr", Dispatcher: "nats.url", Worker: "nats.url"},
		"`ADDR` of NATS: where helve up listens, or the URL to connect to",
	},
	{"admin", all("http.admin_addr"), "`ADDR` to serve metrics and profiles on, where --http is not a loopback address"},
	{
		"allow-origin", map[Role]string{Up: "http.allowed_origins", Dispatcher: "http.allowed_origins"},
		"let web pages of `ORIGIN`, such as https://app.example, use the API; may be repeated",
	},
	{"creds", joins("nats.creds"), "NATS credentials `FILE`"},
	{"nats-context", joins("nats.context"), "`NAME` of a NATS context, in place of URL and credentials"},
	{"workers", map[Role]string{Up: "up.workers"}, "`N` workers to start"},
	{"pools", map[Role]string{Worker: "worker.pools"}, "pools `A,B` whose calls to take"},
	{"slots", runs("worker.slots"), "`N` calls that each worker runs concurrently"},
	{"tools", runs("tools_dirs"), "`DIR` of JavaScript tools; may be repeated"},
	{"tool-env", runs("tool_env"), "`TOOL.NAME=VALUE` for JavaScript tools; may be repeated"},
	{"services", runs("services_file"), "`FILE` of the accounts of services that tools use"},
	{"secrets-key", all("secrets.key_file"), "`FILE` of the master keys that protect the stored accounts of services"},
	{"mcp", runs("mcp_file"), "`FILE` of the MCP servers whose tools to offer"},
	{"openapi", runs("openapi_file"), "`FILE` of the OpenAPI documents whose operations to offer as tools"},
	{"diagnostics", all("diagnostics"), "offer the diagnostic tools"},
	{"group", all("groups"), "`[TENANT:]GROUP=on|off` switches a group of tools; may be repeated"},
	{"rate-limit", runs("rate_limits"), "`TOOL=COUNT/TIME[ by user]` bounds how often tools are called; may be repeated"},
	{"allow-host", runs("allow_hosts"), "let tools reach `HOST[:PORT]|CIDR` past the guard; may be repeated"},
	{"profile", all("profile"), "policy `PROFILE`: strict, standard or auto"},
	{"consent-ttl", all("consent.ttl"), "`DURATION` a call waits for a person"},
	{"pprof", all("telemetry.pprof"), "serve /debug/pprof beside the metrics: on a loopback --http, or else on --admin"},
	{"log-level", all("log.level"), "`LEVEL` of the log: debug, info, warn or error"},
}

// Flags registers on fs the flags of role, with their defaults from [Default], and
// --config and --print-config, which are not settings: Load reads the file named by
// --config, and the command handles --print-config.
func Flags(fs *pflag.FlagSet, role Role) {
	c := Default()
	known := keys(&c)
	for _, f := range flags {
		key, ok := f.key[role]
		if !ok {
			continue
		}
		switch p := known[key].ptr.(type) {
		case *string:
			fs.String(f.name, *p, f.help)
		case *int:
			fs.Int(f.name, *p, f.help)
		case *bool:
			fs.Bool(f.name, *p, f.help)
		case *time.Duration:
			fs.Duration(f.name, *p, f.help)
		case *[]string:
			if known[key].value { // a value may hold a comma
				fs.StringArray(f.name, *p, f.help)
				break
			}
			fs.StringSlice(f.name, *p, f.help)
		}
		// The flag was just registered, so it cannot be missing.
		_ = fs.SetAnnotation(f.name, keyNote, []string{key})
	}
	fs.String("config", "", "`FILE` of settings in YAML")
	fs.Bool("print-config", false, "print the settings as they are in effect, without passwords, and exit")
}

// flagLayer returns the flags that were set.
func flagLayer(fs *pflag.FlagSet) (layer, error) {
	names := map[string]string{}
	provider := posflag.ProviderWithFlag(fs, ".", nil, func(f *pflag.Flag) (string, any) {
		note := f.Annotations[keyNote]
		if len(note) != 1 {
			return "", nil
		}
		names[note[0]] = "--" + f.Name
		return note[0], posflag.FlagVal(fs, f)
	})
	return read(provider, nil, func(path string) string { return names[path] })
}

// fileFlag returns the file named by --config.
func fileFlag(fs *pflag.FlagSet) string {
	if fs == nil {
		return ""
	}
	if f := fs.Lookup("config"); f != nil {
		return f.Value.String()
	}
	return ""
}
