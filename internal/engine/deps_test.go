package engine

import (
	"strings"
	"testing"
)

func TestNewPanicsWithoutAPart(t *testing.T) {
	for name, forget := range map[string]func(*Deps){
		"Catalog": func(d *Deps) { d.Catalog = nil },
		"Access":  func(d *Deps) { d.Access = nil },
		"Policy":  func(d *Deps) { d.Policy = nil },
		"Ledger":  func(d *Deps) { d.Ledger = nil },
		"Ports":   func(d *Deps) { d.Ports = nil },
		"Record":  func(d *Deps) { d.Record = nil },
	} {
		t.Run(name, func(t *testing.T) {
			d := holding(t).deps()
			forget(&d)
			defer func() {
				if v, _ := recover().(string); !strings.Contains(v, name) {
					t.Errorf("New without %s: panic %q, want one that names it", name, v)
				}
			}()
			New(d)
		})
	}
}

func TestStuckAndNowMayBeMissing(t *testing.T) {
	d := holding(t, returning("ok", nil)).deps()
	d.Stuck, d.Now = nil, nil
	wantValue(t, New(d).Execute(t.Context(), job(`{"path":"a"}`)), `"ok"`)
}
