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
	// Unit is a unit of Grafana: s, bytes, reqps, percentunit or short.
	Unit   string
	Single bool
	// Signed is set if a value below 0 means something. The axis of other panels begins at 0,
	// and Grafana does not draw what is below it.
	Signed  bool
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

// JSON returns the dashboard as Grafana imports it. The links keep the variables, since a reader
// who chose a data source would otherwise be shown another one's figures by the next dashboard.
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
		"links": []object{{
			"type": "dashboards", "tags": []string{"helve"}, "title": "Helve", "tooltip": "", "icon": "external link",
			"asDropdown": true, "keepTime": true, "includeVars": true, "targetBlank": false,
		}},
	}, "", "  ")
	return append(text, '\n'), err
}

func source() object { return object{"type": "prometheus", "uid": "${datasource}"} }

// panels places the panels of all rows.
func (d Dashboard) panels() []object {
	var list []object
	y := 0
	for _, row := range d.Rows {
		list = append(list, object{
			"id":        len(list) + 1,
			"type":      "row",
			"title":     row.Title,
			"collapsed": false,
			"gridPos":   object{"x": 0, "y": y, "w": width, "h": 1},
			"panels":    []object{},
		})
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
	kind, options := "timeseries", graphOptions()
	if p.Single {
		kind, options = "stat", numberOptions()
	}
	targets := make([]object, len(p.Queries))
	for i, q := range p.Queries {
		targets[i] = object{
			"refId": string(rune('A' + i)), "datasource": source(), "expr": q.Expr, "legendFormat": q.Legend, "range": true, "exemplar": q.Exemplars,
		}
	}
	defaults := object{"unit": p.Unit}
	if !p.Signed {
		defaults["min"] = 0
	}
	return object{
		"id": id, "type": kind, "title": p.Title, "description": p.Help, "datasource": source(), "gridPos": place, "targets": targets,
		"options": options, "fieldConfig": object{"defaults": defaults, "overrides": []object{}},
	}
}

// graphOptions returns all options that Grafana's schema requires of a timeseries panel.
func graphOptions() object {
	return object{
		"legend":  object{"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []string{}},
		"tooltip": object{"mode": "multi", "sort": "desc"},
	}
}

// numberOptions returns all options that Grafana's schema requires of a stat panel.
func numberOptions() object {
	return object{
		"reduceOptions": object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
		"colorMode":     "value", "graphMode": "area", "textMode": "auto", "justifyMode": "auto", "orientation": "auto",
		"wideLayout": true, "showPercentChange": false, "percentChangeColorMode": "standard",
	}
}
