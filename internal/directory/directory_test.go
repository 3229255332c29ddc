package directory_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func definition(name string) tool.Definition {
	return tool.Definition{
		Name: name, Description: "Does " + name + ".", Category: "test", Group: "core", Version: "1.0.0",
		Parameters: json.RawMessage(`{"type":"object"}`), Risk: tool.Low, Confirmation: tool.ConfirmNever,
		TimeoutSeconds: 1, Pool: "default", Kind: tool.KindBuiltin, Enabled: true,
	}
}

// revisions is how often the catalogue has been written to.
func revisions(t *testing.T, b *bus.Bus) uint64 {
	t.Helper()
	seq, err := b.LastWrite(bustest.Context(t), bus.BucketCatalog)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}
