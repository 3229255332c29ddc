package shell

import (
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/backend/programs"
)

func TestMain(m *testing.M) {
	programs.Child() // this very binary launches the programs that tools run
	os.Exit(m.Run())
}
