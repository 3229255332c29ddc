package apitools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// bucket keeps approvals in memory. Down makes every access fail.
type bucket struct {
	mu     sync.Mutex
	values map[string][]byte
	change func(key string, value []byte)
	down   bool
}

var errDown = errors.New("the bucket is down")

func (b *bucket) put(key string, old, value []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.down:
		return errDown
	case string(b.values[key]) != string(old):
		return natsio.ErrExists
	}
	b.values[key] = value
	b.change(key, value)
	return nil
}

func (b *bucket) Create(_ context.Context, key string, value []byte) error {
	return b.put(key, nil, value)
}

func (b *bucket) Replace(_ context.Context, key string, old, value []byte) error {
	return b.put(key, old, value)
}

func (b *bucket) Get(_ context.Context, key string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return nil, errDown
	}
	return b.values[key], nil
}

func (b *bucket) Load(context.Context, func(string, []byte)) error { return nil }

func (b *bucket) Follow(_ context.Context, change func(string, []byte)) error {
	b.change = change
	return nil
}

func (b *bucket) set(down bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = down
}

type noMetrics struct{}

func (noMetrics) UpstreamWithheld(string, int) {}

// reload is a pool in a bubble, over files on disk.
type reload struct {
	t      *testing.T
	dir    string
	bucket *bucket
	pool   *Pool
}

func open(t *testing.T, b *bucket, documents map[string]string) *reload {
	t.Helper()
	r := &reload{t: t, dir: t.TempDir(), bucket: b}
	r.write("apis.yaml",
		"- {name: a, document: a.yaml, base_url: 'https://a.example'}\n- {name: b, document: b.yaml, base_url: 'https://b.example'}\n")
	for name, text := range documents {
		r.write(name, text)
	}
	var err error
	r.pool, err = Open(t.Context(), Options{
		File: filepath.Join(r.dir, "apis.yaml"), Bucket: b, Worker: "w-1", Home: "default", Metrics: noMetrics{}, Log: zap.NewNop(),
		Changed: func(context.Context) bool { return true },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reload) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// names returns the names of the offered tools, and those of the withheld ones with a -.
func (r *reload) names() string {
	var names []string
	s := r.pool.State()
	for _, o := range s.Tools {
		for _, tl := range o.Tools {
			names = append(names, tl.Name)
		}
	}
	for _, def := range s.Withheld {
		names = append(names, "-"+def.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func (r *reload) want(what, names string) {
	r.t.Helper()
	synctest.Wait()
	if got := r.names(); got != names {
		r.t.Errorf("%s: %q, want %q", what, got, names)
	}
}

func (r *reload) reasons() string {
	var all []string
	for _, p := range r.pool.State().Problems {
		all = append(all, p.API+": "+p.Reason)
	}
	return strings.Join(all, "\n")
}

func withOperations(ids ...string) string {
	text := "openapi: 3.0.0\npaths:\n"
	for _, id := range ids {
		path, summary, _ := strings.Cut(id, "=")
		text += "  /" + path + ": {get: {operationId: " + path + ", summary: '" + summary + "'}}\n"
	}
	return text
}

// TestReload: a change counts within two seconds, and does not touch other documents.
func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, &bucket{values: map[string][]byte{}}, map[string]string{"a.yaml": withOperations("x", "y"), "b.yaml": withOperations("z")})
		defer r.pool.Close()
		r.want("at the start", "a_x a_y b_z")
		before := r.pool.State().Tools[1].Tools[0]
		r.write("a.yaml", withOperations("x", "y=changed", "new"))
		<-time.After(2 * time.Second)
		r.want("after a change", "-a_y a_new a_x b_z")
		if after := r.pool.State().Tools[1].Tools[0]; after != before {
			t.Error("the tool of another document was made again")
		}
		if got := r.reasons(); !strings.Contains(got, "a: 'a_y' is withheld") {
			t.Errorf("the problems are %s", got)
		}
		if r.pool.Refuses("a_y") == nil || r.pool.Refuses("a_x") != nil || r.pool.Refuses("other") != nil {
			t.Error("withheld is not what is refused")
		}
		r.write("a.yaml", withOperations("x", "y"))
		<-time.After(2 * time.Second)
		r.want("back as it was", "a_x a_y b_z")
		for name, broken := range map[string]string{
			"it is Swagger 2.0": "swagger: '2.0'\n",
			"it cannot be read": "openapi: [",
			"same operationId":  withOperations("x") + "  /b: {get: {operationId: x}}\n",
		} {
			r.write("a.yaml", broken)
			<-time.After(2 * time.Second)
			r.want("a document that is refused now", "a_x a_y b_z")
			if got := r.reasons(); !strings.Contains(got, "a: the document is refused: ") || !strings.Contains(got, name) ||
				!strings.HasSuffix(got, "; its tools stay as they were read before") {
				t.Errorf("the problems are %s", got)
			}
		}
		r.write("b.yaml", withOperations("z", "more"))
		<-time.After(2 * time.Second)
		r.want("another document while one is refused", "a_x a_y b_more b_z")
		r.write("a.yaml", withOperations())
		r.write("b.yaml", withOperations("z"))
		<-time.After(2 * time.Second)
		r.want("a document without operations", "b_z")
		if err := os.Remove(filepath.Join(r.dir, "apis.yaml")); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Second)
		r.want("without the file", "b_z")
		r.write("apis.yaml", "- {name: c, document: b.yaml, base_url: 'https://b.example'}\n")
		<-time.After(2 * time.Second)
		r.want("another file", "c_z")
		r.write("b.yaml", "swagger: '2.0'\n")
		r.write("apis.yaml", "- {name: c, document: b.yaml, base_url: 'https://other.example'}\n")
		<-time.After(2 * time.Second)
		r.want("a refused document with other settings", "")
	})
}

// TestApprovalsUnknown: while it is not known which definitions are accepted, nothing is
// offered; as soon as it is, everything is.
func TestApprovalsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bucket{values: map[string][]byte{}, down: true}
		r := open(t, b, map[string]string{"a.yaml": withOperations("x"), "b.yaml": withOperations("z")})
		defer r.pool.Close()
		r.want("down", "-a_x -b_z")
		b.set(false)
		<-time.After(2 * again)
		r.want("up", "a_x b_z")
	})
}

// TestManyWithheld: a document that changed as a whole is one problem.
func TestManyWithheld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids, changed := []string{}, []string{}
		for i := range 50 {
			id := strings.Repeat("x", i+1)
			ids, changed = append(ids, id), append(changed, id+"=changed")
		}
		r := open(t, &bucket{values: map[string][]byte{}}, map[string]string{"a.yaml": withOperations(ids...), "b.yaml": withOperations("z")})
		defer r.pool.Close()
		r.write("a.yaml", withOperations(changed...))
		<-time.After(2 * time.Second)
		synctest.Wait()
		if got := r.reasons(); got != "a: 50 of its tools are withheld: an operator has not accepted the definitions that the document has "+
			"now; 'helve upstream list' lists them, and 'helve upstream accept --all-of a' accepts them" {
			t.Errorf("the problems are %s", got)
		}
	})
}
