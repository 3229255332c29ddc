package toolsdoc

import (
	"testing"

	"github.com/helve-dev/helve/internal/backend/programs"
)

func TestMain(m *testing.M) {
	programs.Child() // examples run programs, which this very binary launches
	m.Run()
}
