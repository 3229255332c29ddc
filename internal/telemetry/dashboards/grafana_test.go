package dashboards

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the dashboards of deploy/grafana")

// TestFiles compares the files of deploy/grafana with the dashboards.
func TestFiles(t *testing.T) {
	const dir = "../../../deploy/grafana"
	names := map[string]bool{}
	for _, d := range All() {
		want, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, d.Name+".json")
		names[filepath.Base(file)] = true
		if *update {
			if err := os.WriteFile(file, want, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the code (%v); run this package's tests with -update and read the change", file, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != len(names) {
		t.Errorf("%s has %d dashboards, want %d (%v)", dir, len(files), len(names), err)
	}
}

// read returns a dashboard as Grafana reads it.
func read(t *testing.T, d Dashboard) (read struct{ Links, Panels []object }) {
	t.Helper()
	text, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// TestRequired: rows, options and links have every property that is required by the types of
// @grafana/schema 12.2, so that a change of Grafana's defaults changes no dashboard.
func TestRequired(t *testing.T) {
	require := func(in any, where, names string) {
		t.Helper()
		have, _ := in.(object)
		for name := range strings.FieldsSeq(names) {
			if _, ok := have[name]; !ok {
				t.Errorf("%s has no %s", where, name)
			}
		}
	}
	for _, d := range All() {
		read := read(t, d)
		for _, link := range read.Links {
			require(link, d.Name+": a link", "asDropdown icon includeVars keepTime tags targetBlank title tooltip type")
		}
		for _, p := range read.Panels {
			where := fmt.Sprintf("%s: %s", d.Name, p["title"])
			options, _ := p["options"].(object)
			switch p["type"] {
			case "row":
				require(p, where, "collapsed id panels")
			case "timeseries":
				require(options["legend"], where, "calcs displayMode placement showLegend")
				require(options["tooltip"], where, "mode sort")
			case "stat":
				require(options, where, "colorMode graphMode justifyMode orientation percentChangeColorMode showPercentChange textMode wideLayout")
				require(options["reduceOptions"], where, "calcs")
			default:
				t.Errorf("%s has the type %v", where, p["type"])
			}
		}
	}
}

// TestAxis: the time until something in the future is drawn after it has passed, too; other
// axes begin at 0.
func TestAxis(t *testing.T) {
	for _, d := range All() {
		for i, p := range d.panels() {
			if p["type"] == "row" {
				continue
			}
			query := p["targets"].([]object)[0]["expr"].(string)
			_, cut := p["fieldConfig"].(object)["defaults"].(object)["min"]
			if signed := strings.HasSuffix(query, "- time()"); cut == signed {
				t.Errorf("%s, panel %d, hides values below 0: %v, want %v: %s", d.Name, i, cut, !signed, query)
			}
		}
	}
}

// TestLinks: a link to another dashboard keeps the time and the variables, of which one is the
// data source.
func TestLinks(t *testing.T) {
	for _, d := range All() {
		links := read(t, d).Links
		if len(links) != 1 || links[0]["keepTime"] != true || links[0]["includeVars"] != true {
			t.Errorf("%s has the links %v, want one with keepTime and includeVars", d.Name, links)
		}
	}
}
