package main

import (
	"os"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
)

// TestAsyncAPI: the command prints the document that is stored.
func TestAsyncAPI(t *testing.T) {
	want, err := os.ReadFile("../../docs/asyncapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	if code := cli.Run(t.Context(), []string{"asyncapi"}, strings.NewReader(""), &out, &errs, asyncAPICommand()); code != 0 ||
		out.String() != string(want) {
		t.Errorf("asyncapi = %d, %d bytes, %q, want those of docs/asyncapi.json", code, out.Len(), errs.String())
	}
}
