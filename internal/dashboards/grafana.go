// Package dashboards makes the Grafana dashboards of deploy/grafana.
//
// It promises that every dashboard works with any Prometheus data source, by a variable, and
// that an update of Helve keeps the address of each. The files are written by the package's
// test with -update; what they query is compared with the live metrics by
// internal/telemetry/alerttest.
package dashboards

import "encoding/json"

// Dashboard is one dashboard: rows of panels, and the labels that a reader can choose.
type Dashboard struct {
	Name, Title string
	// Choices are the variables of the dashboard.
	Choices []Choice
	Rows    []Row
}

// Choice is a variable with the values of a label.
type Choice struct{ Label, Metric string }

// Row is panels under a heading.
type Row struct {
	Title  string
	Panels []Panel
}

// Panel is one graph, or one number if Single is set.
type Panel struct {
	Title, Help string
	// Unit is a unit of Grafana: s, bytes, reqps, percentunit, short or dateTimeFromNow.
	Unit    string
	Single  bool
	Queries []Query
}

// Query is a PromQL expression and the legend of its series. Exemplars is set if the panel
// shows traces beside it.
type Query struct {
	Expr, Legend string
	Exemplars    bool
}

const (
	width       = 24 // of Grafana's grid
	graphHeight = 8
	statHeight  = 4
)

type object = map[string]any

// JSON returns the dashboard as Grafana imports it.
func (d Dashboard) JSON() ([]byte, error) {
	variables := []object{{
		"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus",
	}}
	for _, c := range d.Choices {
		variables = append(variables, object{
			"name": c.Label, "label": c.Label, "type": "query", "datasource": source(), "refresh": 2, "sort": 1,
			"query": "label_values(" + c.Metric + ", " + c.Label + ")", "includeAll": true, "multi": true, "allValue": ".*",
			"current": object{"text": "All", "value": "$__all"},
		})
	}
	text, err := json.MarshalIndent(object{
		"uid": "helve-" + d.Name, "title": "Helve / " + d.Title, "tags": []string{"helve"}, "schemaVersion": 39, "editable": true,
		"refresh": "30s", "time": object{"from": "now-1h", "to": "now"}, "templating": object{"list": variables}, "panels": d.panels(),
		"links": []object{{"type": "dashboards", "tags": []string{"helve"}, "title": "Helve", "asDropdown": true, "keepTime": true}},
	}, "", "  ")
	return append(text, '\n'), err
}

func source() object { return object{"type": "prometheus", "uid": "${datasource}"} }

// panels places the panels of all rows.
func (d Dashboard) panels() []object {
	var list []object
	y := 0
	for _, row := range d.Rows {
		list = append(list, object{"id": len(list) + 1, "type": "row", "title": row.Title, "gridPos": object{"x": 0, "y": y, "w": width, "h": 1}, "panels": []object{}})
		y++
		x, tallest := 0, 0
		for _, p := range row.Panels {
			w, h := width/2, graphHeight
			if p.Single {
				w, h = width/6, statHeight
			}
			if x+w > width {
				x, y, tallest = 0, y+tallest, 0
			}
			list = append(list, p.object(len(list)+1, object{"x": x, "y": y, "w": w, "h": h}))
			x, tallest = x+w, max(tallest, h)
		}
		y += tallest
	}
	return list
}

func (p Panel) object(id int, place object) object {
	kind := "timeseries"
	options := object{"legend": object{"displayMode": "list", "placement": "bottom"}, "tooltip": object{"mode": "multi", "sort": "desc"}}
	if p.Single {
		kind, options = "stat", object{"reduceOptions": object{"calcs": []string{"lastNotNull"}}, "colorMode": "value"}
	}
	targets := make([]object, len(p.Queries))
	for i, q := range p.Queries {
		targets[i] = object{"refId": string(rune('A' + i)), "datasource": source(), "expr": q.Expr, "legendFormat": q.Legend, "exemplar": q.Exemplars}
	}
	return object{
		"id": id, "type": kind, "title": p.Title, "description": p.Help, "datasource": source(), "gridPos": place, "targets": targets, "options": options,
		"fieldConfig": object{"defaults": object{"unit": p.Unit, "min": 0}, "overrides": []object{}},
	}
}
