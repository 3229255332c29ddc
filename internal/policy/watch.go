package policy

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// every is the interval at which Watch looks at the files.
const every = time.Second

// Watch looks at the rule files once a second and puts changed files in force, all or
// none, until ctx ends. A change is applied once it is stable for one interval: an
// editor or a copy may still be writing. Call it once.
func (p *Policy) Watch(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := p.judged
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := look(p.opts.Rules)
		rested := now == last
		last = now
		if rested && now != p.judged {
			p.judged = now
			p.reload()
		}
	}
}

// reload puts the current files in force, or keeps the old rules.
func (p *Policy) reload() {
	old := p.inForce.Load()
	src, err := read(p.opts.Rules)
	if err == nil && digest(src) == old.sum && !p.refused {
		return
	}
	var set *ruleSet
	if err == nil {
		set, err = parse(src)
	}
	if err == nil {
		p.inForce.Store(set)
	}
	p.refused = err != nil
	if p.opts.Changed != nil {
		change := p.InForce()
		change.Err = err
		p.opts.Changed(change)
	}
}

// look returns a summary of the files' metadata; an equal text means that nothing
// changed.
func look(paths []string) string {
	list, err := files(paths)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, path := range list {
		info, err := os.Stat(path)
		if err != nil {
			fmt.Fprintln(&b, err)
			continue
		}
		fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano(), info.Mode())
	}
	return b.String()
}
