package remote

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/toolbox/js/manifest"
	"github.com/helve-dev/helve/tool"
)

// Bounds of one registration.
const (
	minTTL        = time.Second
	maxTTL        = 5 * time.Minute
	maxTools      = 100
	maxDefinition = 64 << 10 // bytes
	maxAll        = 512 << 10
	maxTimeout    = time.Hour // the reply subject of a request is not kept for longer
)

// Defaults of a definition.
const (
	category = "Remote"
	group    = "remote"
)

var namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Registration is the registration of a process.
type Registration struct {
	// Instance distinguishes it from others that run the same tools.
	Instance string
	// TTL is the time for which it counts as alive without a heartbeat.
	TTL time.Duration
	// Tools are definitions, as received.
	Tools []json.RawMessage
}

// definition is a parsed and valid definition.
type definition struct {
	tool.Definition

	// Hash identifies the definition; the spelling of its JSON does not matter.
	Hash string
}

func (in *Registration) check(permissions []string, operator Operator) ([]definition, error) {
	if err := checkInstance(in.Instance); err != nil {
		return nil, err
	}
	if in.TTL < minTTL || in.TTL > maxTTL {
		return nil, refuse(BadRequest, "ttl_ms must be between %d and %d, and the registration be sent again every third of it",
			minTTL.Milliseconds(), maxTTL.Milliseconds())
	}
	if n := len(in.Tools); n == 0 || n > maxTools {
		return nil, refuse(BadRequest, "tools has %d definitions; send 1 to %d, and register the others as another instance", n, maxTools)
	}
	total, defs, taken := 0, make([]definition, len(in.Tools)), map[string]int{}
	for i, raw := range in.Tools {
		if total += len(raw); len(raw) > maxDefinition || total > maxAll {
			return nil, refuse(TooLarge, "tools[%d]: a definition may have %d bytes, and all of them %d; shorten descriptions and schemas",
				i, maxDefinition, maxAll)
		}
		def, problems := read(raw, permissions)
		if len(problems) > 0 {
			return nil, refuse(BadRequest, "tools[%d]%s: %s", i, called(def.Name), strings.Join(problems, "; "))
		}
		if first, twice := taken[offered(def.Name)]; twice {
			return nil, refuse(BadRequest,
				"tools[%d]: the name %s is that of tools[%d], or differs from it in dots and underscores only; "+
					"model providers could not tell them apart",
				i, def.Name, first)
		}
		taken[offered(def.Name)] = i
		settled := operator.settle(def)
		hash, err := identify(def, settled)
		if err != nil {
			return nil, refuse(BadRequest, "tools[%d]%s: %s", i, called(def.Name), err)
		}
		defs[i] = definition{settled, hash}
	}
	return defs, nil
}

func checkInstance(instance string) error {
	if !namePattern.MatchString(instance) {
		return refuse(BadRequest, "instance must be 1 to 64 letters, digits, - and _, another one for each process; it is %.80q", instance)
	}
	return nil
}

func called(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (%.64s)", name)
}

// read parses one definition. The kind in it is ignored.
func read(raw json.RawMessage, permissions []string) (tool.Definition, []string) {
	def, problems := manifest.Definition(raw, tool.Definition{Kind: tool.KindRemote, Category: category, Group: group})
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if !namePattern.MatchString(def.Group) {
		bad("group %.64q must be 1 to 64 letters, digits, - and _", def.Group)
	} else if near := catalog.Spelling(def.Group); near != "" {
		bad("group %s: there is none; did you mean %s?", def.Group, near)
	}
	if def.Timeout() > maxTimeout {
		bad("timeout_seconds is %v, at most %v are allowed", def.TimeoutSeconds, maxTimeout.Seconds())
	}
	if err := policy.KnownPermissions(def.RequiredPermissions, permissions); err != nil {
		bad("required_permissions: %s", err)
	}
	if len(problems) == 0 {
		if err := clean(&def); err != nil {
			bad("%s", err)
		}
	}
	return def, problems
}

// identify returns the hash of a definition as it was registered and as it is offered.
func identify(registered, offered tool.Definition) (string, error) {
	text, err := json.Marshal(map[string]tool.Definition{"registered": registered, "offered": offered})
	if err != nil {
		return "", err
	}
	hash, err := schema.Hash(text)
	return strings.TrimPrefix(hash, "sha256:"), err
}

// offered returns a name as model providers see it, which forbid dots.
func offered(name string) string { return strings.ReplaceAll(name, ".", "_") }
