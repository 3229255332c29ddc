package policy

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Options says what decides.
type Options struct {
	// Profile holds for every tenant that Tenants does not name; none is
	// Standard.
	Profile Profile
	Tenants map[string]Profile
	// Rules are files, or directories of *.cedar files. They count in this
	// order, within a directory by name.
	Rules []string
	// TTL is how long a person may take, HighTTL the same for a call of high
	// risk. Zero is left to whoever asks the person.
	TTL, HighTTL time.Duration
	// Changed, where set, is told of every reload by [Policy.Watch].
	Changed func(Change)
}

// Change is what is in force after the rules were looked at again.
type Change struct {
	// Files are those in force, Rules how many rules they hold, SHA256 the hex
	// digest of them all.
	Files  []string
	Rules  int
	SHA256 string
	// Err, where set, says why changed files were refused: what is in force is
	// what was before.
	Err error
}

// Policy decides. Make one with [New].
type Policy struct {
	opts    Options
	inForce atomic.Pointer[ruleSet]
	// judged is how the files looked when they were last read, refused whether
	// they were found wrong then; both are Watch's own.
	judged  string
	refused bool
}

// New loads the rules. Its error joins every problem found, each naming
// file:line:column.
func New(o Options) (*Policy, error) {
	if _, err := ParseProfile(string(o.Profile)); err != nil {
		return nil, err
	}
	for tenant, profile := range o.Tenants {
		if _, err := ParseProfile(string(profile)); err != nil {
			return nil, fmt.Errorf("tenant %s: %w", tenant, err)
		}
	}
	o.Tenants = maps.Clone(o.Tenants)
	p := &Policy{opts: o, judged: look(o.Rules)}
	src, err := read(o.Rules)
	if err != nil {
		return nil, err
	}
	set, err := parse(src)
	if err != nil {
		return nil, err
	}
	p.inForce.Store(set)
	return p, nil
}

// InForce returns what is in force now; its Err is nil.
func (p *Policy) InForce() Change {
	set := p.inForce.Load()
	return Change{Files: slices.Clone(set.files), Rules: len(set.rules), SHA256: set.sum}
}

// Decide says whether the call runs. It is safe for concurrent use, does no I/O
// and never panics: whatever goes wrong refuses the call. Names in the input
// are those of PROTOCOL section 2.
func (p *Policy) Decide(in Input) Decision {
	d, _, _ := p.decide(in)
	return d
}

// decide returns the decision, the rule that made it (nil is the table), and
// what all rules say.
func (p *Policy) decide(in Input) (d Decision, by *rule, f findings) {
	defer func() {
		if bug := recover(); bug != nil {
			d, by = refuse("policy:failed", "The policy failed on this call, so it is refused; ask the operator to look at the rules."), nil
		}
	}()
	if in.Tool == nil {
		return refuse("policy:no-tool", "The call names no tool."), nil, f
	}
	d = Table(p.profile(in.Tenant), in.Tool, in.Mutates)
	f, err := p.inForce.Load().consult(in)
	if err != nil {
		return refuse("policy:arguments", "The arguments cannot be judged by the rules; send one JSON object with fewer values and no name twice."), nil, f
	}
	d, by = f.overrule(d)
	if d.Outcome == Ask {
		d.Strong = high(in.Tool)
		d.TTL = p.opts.TTL
		if d.Strong {
			d.TTL = p.opts.HighTTL
		}
	}
	return d, by, f
}

func (p *Policy) profile(tenant string) Profile {
	if own, ok := p.opts.Tenants[tenant]; ok {
		return own
	}
	return p.opts.Profile
}

// high counts a risk that is unknown as high.
func high(def *tool.Definition) bool { return def.Risk != tool.Low && def.Risk != tool.Medium }
