package library

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	// every is the interval at which Watch looks even without notifications, as for
	// files that another machine changes.
	every = time.Second
	// rest is the time for which files must be unchanged: an editor or a copy may be in
	// the middle of a pair.
	rest = 100 * time.Millisecond
	// patience is the time that Watch waits for that. An incomplete pair is then a
	// problem until it is complete.
	patience = 700 * time.Millisecond
)

// Watch follows the directories until ctx ends and calls changed whenever tools or
// problems have changed. Call it once.
func (l *Library) Watch(ctx context.Context, changed func()) {
	e := l.listen()
	defer e.close()
	l.follow(ctx, e, changed)
}

func (l *Library) follow(ctx context.Context, e *notifier, changed func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	settled := time.NewTimer(0) // something may have changed since Open
	defer settled.Stop()
	var since time.Time // the first change that is not loaded yet
	seen := ""
	wait := func() {
		if since.IsZero() {
			since = time.Now()
		}
		settled.Reset(max(0, min(rest, time.Until(since.Add(patience)))))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.changed:
			wait()
		case <-tick.C:
			if l.outside() != seen {
				wait()
			}
		case <-settled.C:
			e.turn()
			since, seen = time.Time{}, l.outside()
			if l.Reload() {
				changed()
			}
		}
	}
}

// outside returns a fingerprint of the files' metadata: if it is equal, probably
// nothing changed.
func (l *Library) outside() string {
	var b strings.Builder
	for _, dir := range l.opts.Dirs {
		root, err := os.OpenRoot(dir)
		if err != nil {
			fmt.Fprintln(&b, err)
			continue
		}
		describe(&b, rooted{root}, ".", scriptEnd, manifestEnd)
		describe(&b, rooted{root}, libDir, scriptEnd)
		_ = root.Close() // it was only read
	}
	return b.String()
}

func describe(b *strings.Builder, files fs.FS, dir string, endings ...string) {
	all, err := list(files, dir, endings...)
	if err != nil {
		fmt.Fprintln(b, err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f := all[name]
		if f.err != nil {
			fmt.Fprintln(b, name, f.err)
			continue
		}
		fmt.Fprintln(b, name, f.info.Size(), f.info.ModTime().UnixNano(), f.info.Mode())
	}
}
