package api

import "testing"

// TestCheckNewName: the name of a new file is shown as it is.
func TestCheckNewName(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"a.txt": true, "Grüße/ü.txt": true, "👩\u200d👧.png": true, "می\u200cخواهم.txt": true,
		"a\r.txt": false, "a\nb": false, "a\tb": false, "\x1b[2J": false, "invoice\u202efdp.exe": false, "a\u2066b": false, "a\u200bb": false,
		"a\ufeffb": false, "a\u2028b": false, "a\x7fb": false, "a\u00adb": false,
	} {
		if err := checkNewName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
