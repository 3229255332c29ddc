package remote

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// The bucket's entries, under <tenant>.tool.<name> and <tenant>.instance.<instance>.
const (
	kindTool     = "tool"
	kindInstance = "instance"
)

func keyOf(tenant, kind, name string) string { return tenant + "." + kind + "." + name }

// known is a stored definition.
type known struct {
	Definition tool.Definition `json:"definition"`
	Hash       string          `json:"hash"`
}

// instance is a stored process. It contains the hash of each definition it runs, so
// that it does not count for a tool whose definition was replaced.
type instance struct {
	TTLMS int64             `json:"ttl_ms"`
	Tools map[string]string `json:"tools"` // hashes by name
	// Beat is different in each heartbeat.
	Beat string `json:"beat"`
	// seen is the time at which this process received the entry.
	seen time.Time
}

func (i *instance) ttl() time.Duration { return time.Duration(i.TTLMS) * time.Millisecond }

// tenant is the stored entries of one tenant.
type tenant struct {
	tools     map[string]known
	instances map[string]*instance
}

func newTenant() *tenant {
	return &tenant{tools: map[string]known{}, instances: map[string]*instance{}}
}

// put applies an entry under a key below the tenant's; nil is deleted. It returns the
// tools that this may have changed.
func (t *tenant) put(kind, name string, value []byte) ([]string, error) {
	switch kind {
	case kindTool:
		return []string{name}, t.putTool(name, value)
	case kindInstance:
		touched := t.runs(name)
		err := t.putInstance(name, value)
		return append(touched, t.runs(name)...), err
	}
	return nil, fmt.Errorf("what %q is nobody knows", kind)
}

// putTool removes a definition that it cannot parse: an earlier definition must not
// remain in force.
func (t *tenant) putTool(name string, value []byte) error {
	delete(t.tools, name)
	if value == nil {
		return nil
	}
	var k known
	if err := json.Unmarshal(value, &k); err != nil {
		return err
	}
	if k.Definition.Name != name || k.Definition.Kind != tool.KindRemote || k.Hash == "" {
		return fmt.Errorf("the definition is of %.64q, a tool of kind %.20q", k.Definition.Name, k.Definition.Kind)
	}
	t.tools[name] = k
	return nil
}

func (t *tenant) putInstance(name string, value []byte) error {
	delete(t.instances, name)
	if value == nil {
		return nil
	}
	i := new(instance)
	if err := json.Unmarshal(value, i); err != nil {
		return err
	}
	if i.ttl() < minTTL || i.ttl() > maxTTL {
		return fmt.Errorf("its ttl_ms is %d", i.TTLMS)
	}
	t.instances[name] = i
	return nil
}

// runs returns the names of the tools of an instance.
func (t *tenant) runs(name string) []string {
	i := t.instances[name]
	if i == nil {
		return nil
	}
	names := make([]string, 0, len(i.Tools))
	for name := range i.Tools {
		names = append(names, name)
	}
	return names
}

// holders returns the instances that run a tool with the stored definition, sorted.
func (t *tenant) holders(name string) []string {
	k, ok := t.tools[name]
	if !ok {
		return nil
	}
	var holders []string
	for id, i := range t.instances {
		if i.Tools[name] == k.Hash {
			holders = append(holders, id)
		}
	}
	slices.Sort(holders)
	return holders
}

// split parses a key.
func split(key string) (tenant, kind, name string) {
	tenant, rest, _ := strings.Cut(key, ".")
	kind, name, _ = strings.Cut(rest, ".")
	return tenant, kind, name
}
