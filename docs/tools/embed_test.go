package tools

import (
	"strings"
	"testing"
)

func TestSection(t *testing.T) {
	got, ok := Section("read_file")
	if !ok || !strings.HasPrefix(got, "## read_file\n\nRead a text file") || strings.Count(got, "\n## ") != 0 ||
		!strings.HasSuffix(got, "\n") || strings.HasSuffix(got, "\n\n") {
		t.Errorf("Section(read_file) = %q, %v, want this section and no other", got, ok)
	}
	for _, name := range []string{"", "read", "read_file ", "no_such_tool", "Errors of any call", "read_file\n"} {
		if got, ok := Section(name); ok {
			t.Errorf("Section(%q) = %q, want none", name, got)
		}
	}
}
