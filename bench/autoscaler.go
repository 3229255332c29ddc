package bench

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// autoscaler computes a number of workers from the backlog of their pool as Kubernetes does
// with the ScaledObject in deploy/k8s/components/keda. A step is one period of its policies.
type autoscaler struct {
	least, most int
	// perWorker is the backlog for which there is one worker: its slots.
	perWorker int
	// upPercent and upPods are the workers that a step may add, whichever is more; downPods
	// those that it may remove.
	upPercent, upPods, downPods int
	// calm is the number of steps whose largest wish bounds a removal.
	calm int

	wishes []int
}

// The policies of the ScaledObject.
const (
	scaleMost      = 20
	scaleUpPercent = 200
	scaleUpPods    = 4
	scaleDownPods  = 2
	scaleSlots     = 256
)

// next returns the number of workers of the next step.
func (a *autoscaler) next(workers, backlog int) int {
	wish := int(math.Ceil(float64(backlog) / float64(a.perWorker)))
	wish = min(max(wish, a.least), a.most)
	a.wishes = append(a.wishes, wish)
	a.wishes = a.wishes[max(0, len(a.wishes)-a.calm):]
	if wish > workers {
		return min(wish, workers+max(workers*a.upPercent/100, a.upPods))
	}
	for _, w := range a.wishes {
		wish = max(wish, w)
	}
	return max(min(wish, workers), workers-a.downPods)
}

// backlogOf returns the backlog of the pool "default" by a dispatcher's metrics; 0 while it
// has not counted yet.
func backlogOf(ctx context.Context, dispatcher string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, dispatcher+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the dispatcher answered %s for its metrics", resp.Status)
	}
	const name = `helve_pool_backlog{pool="default"} `
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name); ok {
			n, err := strconv.ParseFloat(value, 64)
			return int(n), err
		}
	}
	return 0, lines.Err()
}
