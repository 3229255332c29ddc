package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestAutoscaler follows a burst from its begin until the workers are few again.
func TestAutoscaler(t *testing.T) {
	a := newAutoscaler(scaleMost)
	a.perWorker, a.calm = 10, 3
	workers, got := 1, []int{}
	for _, backlog := range []int{0, 500, 400, 300, 90, 0, 0, 0, 0, 0, 60, 0} {
		workers = a.next(workers, backlog)
		got = append(got, workers)
	}
	if want := []int{1, 5, 15, 20, 20, 20, 18, 16, 14, 12, 10, 8}; !slices.Equal(got, want) {
		t.Errorf("workers %v, want %v", got, want)
	}
}

// TestAutoscalerIsThatOfTheManifest holds the policies against the ScaledObject.
func TestAutoscalerIsThatOfTheManifest(t *testing.T) {
	manifest, err := os.ReadFile("../deploy/k8s/components/keda/scaledobject.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("maxReplicaCount: %d\n", scaleMost),
		fmt.Sprintf("{type: Percent, value: %d, periodSeconds: 15}, {type: Pods, value: %d, periodSeconds: 15}", scaleUpPercent, scaleUpPods),
		fmt.Sprintf("[{type: Pods, value: %d, periodSeconds: 60}]", scaleDownPods),
		fmt.Sprintf("threshold: %q\n", fmt.Sprint(scaleSlots)),
		`max(helve_pool_backlog{namespace="helve",pool="default"})`,
	} {
		if !strings.Contains(string(manifest), want) {
			t.Errorf("the manifest has no %q", want)
		}
	}
}

// TestAutoscale starts and stops workers by the backlog of bursts.
func TestAutoscale(t *testing.T) {
	opts, gone := quick(t)
	opts.Calls = 450
	sheet, err := Scenario(bounded(t), "autoscale", opts)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]float64{}
	for _, f := range sheet.Figures {
		figures[f.Name] = f.Value
	}
	if figures["calls"] != 450 || figures["most_workers"] < 2 || figures["stopped"] < 1 || figures["steady_calls"] == 0 ||
		figures["lost"] != 0 || figures["doubled"] != 0 {
		t.Errorf("the figures are %v, want 450 calls by more than one worker, of which some were stopped", figures)
	}
	gone(4)
}
