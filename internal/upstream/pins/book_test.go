package pins

import (
	"sync"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func offered(hash string, review bool) Offer {
	return Offer{Tool: "gh_get", Server: "gh", Upstream: "get", Definition: []byte(`{"d":"` + hash + `"}`), Hash: hash, Review: review}
}

func bucket(t *testing.T) *bus.Bucket {
	t.Helper()
	bucket, err := bustest.Connect(t, bustest.Server(t)).Bucket(bustest.Context(t), bus.BucketUpstream)
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}

func follow(t *testing.T, b *bus.Bucket, worker string) *Book {
	t.Helper()
	book, err := Follow(t.Context(), b, worker, zap.NewNop(), func() {})
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// TestFirstUseRace: of workers that see a tool for the first time by different
// definitions one pins it, and all withhold it.
func TestFirstUseRace(t *testing.T) {
	t.Parallel()
	b := bucket(t)
	books := []*Book{follow(t, b, "w-1"), follow(t, b, "w-2"), follow(t, b, "w-3")}
	var all sync.WaitGroup
	for i, book := range books {
		all.Go(func() {
			if _, err := book.See(bustest.Context(t), offered([]string{"a", "b", "a"}[i], false)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, book := range books {
		bustest.Until(t, "it is withheld", func() bool {
			pin := book.Of("gh_get")
			return pin != nil && len(pin.Accepted) == 1 && pin.Seen != nil && !pin.Open("a") && !pin.Open("b")
		})
	}
}

// TestWhatIsStored: what cannot be read opens nothing, and what was accepted outlives all
// workers.
func TestWhatIsStored(t *testing.T) {
	t.Parallel()
	b := bucket(t)
	if _, err := follow(t, b, "w-1").See(bustest.Context(t), offered("a", false)); err != nil {
		t.Fatal(err)
	}
	later := follow(t, b, "w-9")
	if pin, err := later.See(bustest.Context(t), offered("a", true)); err != nil || !pin.Open("a") || pin.Open("b") {
		t.Errorf("later it is %+v, %v", pin, err)
	}
	value, err := b.Get(bustest.Context(t), "gh_get")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Replace(bustest.Context(t), "gh_get", value, []byte(`[`)); err != nil {
		t.Fatal(err)
	}
	bustest.Until(t, "nothing is open", func() bool { return !later.Of("gh_get").Open("a") })
}
