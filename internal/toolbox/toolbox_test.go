package toolbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// TestUnknownPermissionIsRefused: a permission that nobody knows could be granted
// by nobody knowingly.
func TestUnknownPermissionIsRefused(t *testing.T) {
	set := tool.NewSet("Test", "test")
	tool.Add(set, tool.Spec[struct{}, bool]{
		Name: "locate", Description: "Says where the person is.", Risk: tool.Low, Mutates: false, Timeout: time.Second,
		RequiredPermissions: []string{"network", "location"},
		Run:                 func(context.Context, *tool.Call, struct{}) (bool, error) { return true, nil },
	})
	pools := []string{"default"}
	if _, err := New(Options{Sets: []*tool.Set{set}, Pools: pools, Permissions: nil, Opened: 0}); err == nil ||
		!strings.Contains(err.Error(), `"location"`) || !strings.Contains(err.Error(), "policy.permissions") {
		t.Errorf("New = %v, want it to refuse the permission and say where to name it", err)
	}
	if _, err := New(Options{Sets: []*tool.Set{set}, Pools: pools, Permissions: []string{"location"}, Opened: 0}); err != nil {
		t.Errorf("New with the permission configured = %v", err)
	}
}
