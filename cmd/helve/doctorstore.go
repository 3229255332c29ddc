package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/x/device"
)

// storePart checks the database of personal data.
func storePart(ctx context.Context, cfg config.Config) confine.Part {
	p := confine.Part{Name: "store"}
	where := cfg.Store.URL
	if where == "" {
		where = cfg.Data
	}
	o, err := store.Locate(where)
	if err != nil {
		p.Mandatory, p.Detail = true, "store.url: "+err.Error()
		return p
	}
	r := store.Inspect(ctx, o)
	if o.URL == "" && fullDevice(o.Dir) {
		r.Problems = append(r.Problems, "the disk is full: calls that store something end with overloaded; make room")
	}
	p.OK = len(r.Problems) == 0
	p.Mandatory = !p.OK
	p.Detail = strings.Join(slices.Concat([]string{r.Summary}, r.Problems, r.Advice), "; ")
	return p
}

// fullDevice reports whether there is no room left where dir is, or will be.
func fullDevice(dir string) bool {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	space, err := device.Of(dir)
	return err == nil && space.Full()
}

// storesPart checks whether the workers of each pool have one store.
func storesPart(ctx context.Context, cfg config.Config, q *queue.Queue) confine.Part {
	p := confine.Part{Name: "shared_store"}
	live, err := fleet.Load(ctx, q)
	switch {
	case err != nil:
		p.Detail = "cannot see which workers there are: no dispatcher has prepared this NATS server, or the credentials are not a dispatcher's " +
			"or a worker's"
	case cfg.Store.URL != "":
		p.OK, p.Detail = true, "store.url; set it on every worker"
	case len(live.Split()) > 0:
		p.Mandatory = true
		p.Detail = "store.url is not set, and the workers of " + strings.Join(live.Split(), ", ") +
			" have data directories of their own: the tools for personal data end with not_configured on all but those with the directory of the " +
			"oldest worker; set store.url to a PostgreSQL database on every worker (docs/data.md)"
	default:
		p.OK, p.Detail = true, "the workers of each pool share a data directory"
	}
	return p
}
