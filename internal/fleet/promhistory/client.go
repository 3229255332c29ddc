package promhistory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// maxAnswer bounds the answer to a query. The largest that is wanted, of 200 pools with 336 steps, has 2 MiB.
const maxAnswer = 4 << 20

// client sends queries to one Prometheus.
type client struct {
	base *url.URL
	http *http.Client
}

// grid is the times at which a query is evaluated.
type grid struct {
	end   time.Time
	step  time.Duration
	steps int
}

// begin returns the first time of the grid.
func (g grid) begin() time.Time { return g.end.Add(-g.step * time.Duration(g.steps-1)) }

// index returns the number of the step at a Unix time, and whether it is one of the grid.
func (g grid) index(at float64) (int, bool) {
	i := math.Round((at - float64(g.begin().Unix())) / g.step.Seconds())
	return int(i), i >= 0 && i < float64(g.steps) // not so for NaN
}

// pools are the values of a query by pool, one for each step; NaN where there is none.
type pools map[string][]float64

// answer is the answer of Prometheus to a range query.
type answer struct {
	Status string `json:"status"`
	Error  string `json:"error"`
	Data   struct {
		ResultType string `json:"resultType"`
		Result     []struct {
			Metric map[string]string `json:"metric"`
			Values []sample          `json:"values"`
		} `json:"result"`
	} `json:"data"`
}

// sample is a value at a time: [1435781430.781, "1.5"].
type sample struct{ at, value float64 }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *sample) UnmarshalJSON(text []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("a sample is no pair of a time and a value")
	}
	var value string
	if err := errors.Join(json.Unmarshal(pair[0], &s.at), json.Unmarshal(pair[1], &value)); err != nil {
		return err
	}
	var err error
	s.value, err = strconv.ParseFloat(value, 64)
	return err
}

// query returns the values of an expression on a grid.
func (c *client) query(ctx context.Context, expression string, g grid) (pools, error) {
	at := c.base.JoinPath("api", "v1", "query_range")
	at.RawQuery = url.Values{
		"query": {expression}, "start": {strconv.FormatInt(g.begin().Unix(), 10)}, "end": {strconv.FormatInt(g.end.Unix(), 10)},
		"step": {strconv.FormatFloat(g.step.Seconds(), 'f', -1, 64)}, "timeout": {patience.String()},
	}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // without the address, which may have a password
		}
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("its answer is larger than %d bytes", maxAnswer)
	}
	return values(res.StatusCode, body, g)
}

// values reads an answer.
func values(status int, body []byte, g grid) (pools, error) {
	var a answer
	err := json.Unmarshal(body, &a)
	switch {
	case status != http.StatusOK && err == nil && a.Error != "":
		return nil, fmt.Errorf("it answered %d: %.200s", status, a.Error)
	case status != http.StatusOK:
		return nil, fmt.Errorf("it answered %d", status)
	case err != nil:
		return nil, fmt.Errorf("it answered what is no answer of Prometheus: %w", err)
	case a.Status != "success" || a.Data.ResultType != "matrix":
		return nil, errors.New("it answered what is no range of values")
	}
	found := pools{}
	for _, series := range a.Data.Result {
		line := make([]float64, g.steps)
		for i := range line {
			line[i] = math.NaN()
		}
		for _, s := range series.Values {
			if i, ok := g.index(s.at); ok {
				line[i] = s.value
			}
		}
		found[series.Metric["pool"]] = line
	}
	return found, nil
}
