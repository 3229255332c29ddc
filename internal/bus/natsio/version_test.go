package natsio_test

import (
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

func TestOld(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"2.11.9": true, "1.99.0": true, "": true, "x.y.z": true, "2.12.0": false, "2.15.2": false, "3.0.0-rc.1": false,
	} {
		if err := natsio.Old(version); (err != nil) != want {
			t.Errorf("Old(%q) = %v, want an error %v", version, err, want)
		}
	}
}
