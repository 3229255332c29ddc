package policy

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Options configure a policy.
type Options struct {
	// Profile applies to every tenant that Tenants does not name; the default is
	// Standard.
	Profile Profile
	Tenants map[string]Profile
	// Rules are files, or directories of *.cedar files. They apply in this order,
	// within a directory sorted by name.
	Rules []string
	// TTL is the time for a person's decision, HighTTL the same for a call of high
	// risk. The meaning of zero is up to the caller.
	TTL, HighTTL time.Duration
	// Changed, if set, is called after every reload by [Policy.Watch].
	Changed func(Change)
}

// Change describes the rules in force after a reload.
type Change struct {
	// Files are the files in force, Rules the number of their rules, SHA256 the hex
	// digest of them all.
	Files  []string
	Rules  int
	SHA256 string
	// Err, if set, is the reason why changed files were refused: the previous rules
	// stay in force.
	Err error
}

// Policy decides about calls. Create it with [New].
type Policy struct {
	opts    Options
	inForce atomic.Pointer[ruleSet]
	// judged is the state of the files when they were last read, refused whether they
	// were invalid then; both are used by Watch only.
	judged  string
	refused bool
}

// New loads the rules. Its error joins every problem found, each with file:line:column.
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

// InForce returns the rules in force; its Err is nil.
func (p *Policy) InForce() Change {
	set := p.inForce.Load()
	return Change{Files: slices.Clone(set.files), Rules: len(set.rules), SHA256: set.sum}
}

// Decide decides whether the call runs. It is safe for concurrent use, does no I/O and
// never panics: any error refuses the call. Names in the input are as in
// docs/protocol.md, Names.
func (p *Policy) Decide(in Input) Decision {
	d, _, _ := p.decide(in)
	return d
}

// decide returns the decision, the deciding rule (nil is the table), and all rules that
// matched.
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
		return refuse("policy:arguments",
			"The arguments cannot be judged by the rules; send one JSON object with fewer values and no name twice."), nil, f
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

// high reports whether the risk is high; an unknown risk is.
func high(def *tool.Definition) bool { return def.Risk != tool.Low && def.Risk != tool.Medium }
