package git

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

// missing is a worker without any program.
type missing struct{}

func (missing) Find(name string) (string, error) {
	return "", tool.Fail(tool.NotConfigured, "The program '%s' is not installed on this worker", name)
}

func (m missing) Run(_ context.Context, p tool.Program) (tool.Ran, error) {
	_, err := m.Find(p.Name)
	return tool.Ran{}, err
}
