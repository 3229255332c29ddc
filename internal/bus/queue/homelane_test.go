package queue

import (
	"slices"
	"testing"
)

func TestHomeLanes(t *testing.T) {
	t.Parallel()
	for lane, want := range map[string]string{
		Quick:       "w3",
		"0":         "w3s0",
		"5":         "w3s1",
		"b2":        "w3b",
		"w9s1":      "w3",
		"k4":        "w3",
		LaneWaiting: "w3",
	} {
		if got := InHome("w3", lane); got != want {
			t.Errorf("InHome(w3, %q) = %s, want %s", lane, got, want)
		}
	}
	for lane, want := range map[string]string{
		"w3": "w3", "w31s2": "w31", "w3b": "w3", LaneWaiting: "", Quick: "", "k4": "", "0": "", "b0": "",
	} {
		if got := homeOf(lane); got != want {
			t.Errorf("homeOf(%q) = %q, want %q", lane, got, want)
		}
	}
	names := HomeConsumers("p")
	if len(names) != HomeLanes*6 || !slices.Contains(names, "p~w31b") ||
		len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("%d names of consumers", len(names))
	}
	l := newLane("p", "w3")
	if spill, batch := newLane("p", "w3s0"), newLane("p", "w3b"); !l.quick || spill.quick || !batch.batch || l.batch || spill.home != "w3" {
		t.Errorf("lanes are %+v, %+v, %+v", l, spill, batch)
	}
}
