package accounts

import (
	"os"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestMain(m *testing.M) { os.Exit(system.Main(m, nil)) }
