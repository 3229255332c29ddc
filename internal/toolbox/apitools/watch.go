package apitools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
)

const (
	// look is the interval at which the files are looked at. A changed file is read when
	// it is the same twice: an editor or a copy may be in the middle of it.
	look = 250 * time.Millisecond
	// patience is the time after which a file that keeps changing is read anyway.
	patience = 700 * time.Millisecond
	// again is the interval at which definitions are compared again that could not be.
	again = 5 * time.Second
)

// watch loads changed files until ctx ends. Seen is the fingerprint of what was loaded.
func (p *Pool) watch(ctx context.Context, seen string) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	var since time.Time // the first change that is not loaded yet
	last, tried := seen, time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := p.fingerprint()
		switch {
		case now == seen:
			since = time.Time{}
			if !p.waiting() || time.Since(tried) < again {
				continue
			}
		case since.IsZero():
			since, last = time.Now(), now
			continue
		case now != last && time.Since(since) < patience:
			last = now
			continue
		}
		since, tried = time.Time{}, time.Now()
		seen = p.reload(ctx)
		last = seen
	}
}

// reload loads what has changed. A file that is no list of documents leaves those that were
// loaded before.
func (p *Pool) reload(ctx context.Context) (seen string) {
	seen, err := p.load(ctx)
	if err != nil {
		p.o.Log.Error("file of API documents not usable; the old documents stay", zap.Error(err))
		reason := foreign.Text(fmt.Sprintf("the file is not usable, so that what was read before stays: %v", err), maxReason)
		p.mu.Lock()
		p.problems = []Problem{{File: filepath.Base(p.o.File), Entry: -1, Reason: reason}}
		p.mu.Unlock()
		p.changed()
	}
	return seen
}

// waiting reports whether it is not known yet which definitions are accepted.
func (p *Pool) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unseen
}

// fingerprint describes the file and its documents: if it is equal, probably nothing
// changed.
func (p *Pool) fingerprint() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return describe(append([]string{p.o.File}, p.paths...)...)
}

func describe(paths ...string) string {
	var b strings.Builder
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			fmt.Fprintln(&b, path, withoutPath(err))
			continue
		}
		fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano(), info.Mode())
	}
	return b.String()
}
