package approvals

import (
	"context"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

func TestMain(m *testing.M) { queuetest.Verify(m) }

func offered(hash string, review bool) Offer {
	return Offer{Tool: "gh_get", Server: "gh", Upstream: "get", Definition: []byte(`{"d":"` + hash + `"}`), Hash: hash, Review: review}
}

func bucket(t *testing.T) *natsio.Bucket {
	t.Helper()
	bucket, err := queuetest.Connect(t, queuetest.Server(t)).Conn.Bucket(queuetest.Context(t), streams.BucketUpstream)
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}

func follow(t *testing.T, b *natsio.Bucket, worker string) *Store {
	t.Helper()
	store, err := Follow(t.Context(), b, worker, zap.NewNop(), func() {})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// TestFirstUseRace: of workers that see a tool for the first time by different
// definitions one is accepted, and all withhold it.
func TestFirstUseRace(t *testing.T) {
	t.Parallel()
	b := bucket(t)
	books := []*Store{follow(t, b, "w-1"), follow(t, b, "w-2"), follow(t, b, "w-3")}
	var all sync.WaitGroup
	for i, store := range books {
		all.Go(func() {
			if _, err := store.See(queuetest.Context(t), offered([]string{"a", "b", "a"}[i], false)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, store := range books {
		queuetest.Until(t, "it is withheld", func() bool {
			approval := store.Of("gh_get")
			return approval != nil && len(approval.Accepted) == 1 && approval.Seen != nil && !approval.Open("a") && !approval.Open("b")
		})
	}
}

// TestWhatIsStored: what cannot be read opens nothing, and what was accepted outlives all
// workers.
func TestWhatIsStored(t *testing.T) {
	t.Parallel()
	b := bucket(t)
	if _, err := follow(t, b, "w-1").See(queuetest.Context(t), offered("a", false)); err != nil {
		t.Fatal(err)
	}
	later := follow(t, b, "w-9")
	if approval, err := later.See(queuetest.Context(t), offered("a", true)); err != nil || !approval.Open("a") || approval.Open("b") {
		t.Errorf("later it is %+v, %v", approval, err)
	}
	value, err := b.Get(queuetest.Context(t), "gh_get")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Replace(queuetest.Context(t), "gh_get", value, []byte(`[`)); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "nothing is open", func() bool { return !later.Of("gh_get").Open("a") })
}

// overtaken is a bucket in which another worker's write is reported while Create returns.
type overtaken struct {
	Bucket
	report func(key string, value []byte)
}

func (o *overtaken) Get(context.Context, string) ([]byte, error) { return nil, nil }

func (o *overtaken) Follow(_ context.Context, change func(string, []byte)) error {
	o.report = change
	return nil
}

func (o *overtaken) Create(_ context.Context, key string, value []byte) error {
	o.report(key, value)
	o.report(key, []byte(`{"accepted":["a"],"seen":{"hash":"b"}}`))
	return nil
}

// TestOvertakenWrite: a worker's own write does not replace a later approval that the bucket
// has reported already.
func TestOvertakenWrite(t *testing.T) {
	t.Parallel()
	store, err := Follow(t.Context(), &overtaken{}, "w-1", zap.NewNop(), func() {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.See(t.Context(), offered("a", false)); err != nil {
		t.Fatal(err)
	}
	if now := store.Of("gh_get"); now == nil || now.Seen == nil || now.Open("a") {
		t.Errorf("the approval is %+v, want the one with the definition that waits", now)
	}
}
