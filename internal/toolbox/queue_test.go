package toolbox

import (
	"slices"
	"testing"

	"github.com/helve-dev/helve/config"
)

func TestQueues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tenant, user string
		want         []string
	}{
		{"", "", []string{"default", "desktop"}},
		{"acme", "", []string{"default", "desktop"}},
		{"acme", "ann", []string{"default", "desktop=acme=ann"}},
	} {
		cfg := config.Default()
		cfg.Worker.Pools, cfg.Desktop.Tenant, cfg.Desktop.User = []string{"default", "desktop"}, tt.tenant, tt.user
		if got := Queues(cfg); !slices.Equal(got, tt.want) {
			t.Errorf("the queues of a worker of %q/%q are %q, want %q", tt.tenant, tt.user, got, tt.want)
		}
	}
}
