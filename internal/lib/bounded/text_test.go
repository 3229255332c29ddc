package bounded

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestTooMuch(t *testing.T) {
	err := tool.AsError(TooMuch())
	if err.Kind != tool.ValidationError || !strings.Contains(err.Msg, "4194304 bytes") {
		t.Errorf("TooMuch() = %v, want a %s that names the bound", err, tool.ValidationError)
	}
}
