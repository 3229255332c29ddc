package deploytest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/helve-dev/helve/internal/telemetry"
)

// has reports whether there is an object of a kind.
func (all rendered) has(kind, name string) bool {
	return slices.ContainsFunc(all, func(o *object) bool { return o.gvk.Kind == kind && o.name == name })
}

// external reports whether docs/deploy.md has the command that makes an object with these
// keys: a line of a code block.
func external(t *testing.T, kind, name string, keys ...string) bool {
	t.Helper()
	command := map[string]string{"Secret": "create secret", "ConfigMap": "create configmap"}[kind]
	for line := range strings.SplitSeq(strings.ReplaceAll(page(t), "\\\n", " "), "\n") {
		if strings.Contains(line, command) && slices.Contains(strings.Fields(line), name) {
			return !slices.ContainsFunc(keys, func(key string) bool { return !strings.Contains(line, key) })
		}
	}
	return false
}

// TestReferences checks that what the objects refer to exists, or that the operators' page
// has the command that makes it, with every key.
func TestReferences(t *testing.T) {
	each(t, func(t *testing.T, all rendered) {
		need := func(owner, kind, name string, keys ...string) {
			if name != "" && !all.has(kind, name) && !external(t, kind, name, keys...) {
				t.Errorf("%s needs %s %s with %q: it is neither rendered nor made in docs/deploy.md", owner, kind, name, keys)
			}
		}
		items := func(of []corev1.KeyToPath) (keys []string) {
			for _, i := range of {
				keys = append(keys, i.Key)
			}
			return keys
		}
		for _, p := range all.pods() {
			need(p.owner, "ServiceAccount", p.Spec.ServiceAccountName)
			if name := p.Spec.PriorityClassName; !slices.ContainsFunc(of[*schedulingv1.PriorityClass](all),
				func(c *schedulingv1.PriorityClass) bool { return c.Name == name }) &&
				name != "" {
				t.Errorf("%s: no PriorityClass %s", p.owner, name)
			}
			for _, c := range p.Spec.Containers {
				for _, e := range c.Env {
					if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
						need(p.owner, "Secret", e.ValueFrom.SecretKeyRef.Name, e.ValueFrom.SecretKeyRef.Key)
					}
				}
			}
			for _, v := range p.Spec.Volumes {
				switch {
				case v.ConfigMap != nil:
					need(p.owner, "ConfigMap", v.ConfigMap.Name)
				case v.Secret != nil:
					need(p.owner, "Secret", v.Secret.SecretName, items(v.Secret.Items)...)
				case v.PersistentVolumeClaim != nil:
					need(p.owner, "PersistentVolumeClaim", v.PersistentVolumeClaim.ClaimName)
				case v.Projected != nil:
					for _, s := range v.Projected.Sources {
						if s.Secret != nil {
							need(p.owner, "Secret", s.Secret.Name, items(s.Secret.Items)...)
						}
						if s.ConfigMap != nil {
							need(p.owner, "ConfigMap", s.ConfigMap.Name, items(s.ConfigMap.Items)...)
						}
					}
				}
			}
		}
		for _, i := range of[*networkingv1.Ingress](all) {
			for _, s := range i.Spec.TLS {
				need("Ingress", "Secret", s.SecretName, "tls.crt", "tls.key")
			}
			need("Ingress", "Service", i.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name)
		}
	})
}

// TestSelectors checks that each selector selects pods, and each named port exists there.
func TestSelectors(t *testing.T) {
	each(t, func(t *testing.T, all rendered) {
		selected := func(owner string, s *metav1.LabelSelector, ports ...intstr.IntOrString) {
			found := false
			for _, p := range all.pods() {
				if !selects(t, s, p.Labels) {
					continue
				}
				found = true
				for _, port := range ports {
					if number(&p, &port) <= 0 {
						t.Errorf("%s: %s has no port %s", owner, p.owner, port.String())
					}
				}
			}
			if !found {
				t.Errorf("%s selects no pod", owner)
			}
		}
		for _, s := range of[*corev1.Service](all) {
			var ports []intstr.IntOrString
			for _, p := range s.Spec.Ports {
				ports = append(ports, p.TargetPort)
			}
			selected("Service "+s.Name, &metav1.LabelSelector{MatchLabels: s.Spec.Selector}, ports...)
		}
		for _, b := range of[*policyv1.PodDisruptionBudget](all) {
			selected("PodDisruptionBudget "+b.Name, b.Spec.Selector)
		}
		for _, p := range all.pods() {
			for _, c := range p.Spec.TopologySpreadConstraints {
				if !selects(t, c.LabelSelector, p.Labels) {
					t.Errorf("%s: a spread constraint does not select its own pods", p.owner)
				}
			}
		}
		for _, o := range all {
			switch o.gvk.Kind {
			case "PodMonitor":
				var m struct {
					Spec struct {
						Selector            metav1.LabelSelector
						PodMetricsEndpoints []struct{ Port, Path string }
					}
				}
				if err := yaml.Unmarshal(o.yaml, &m); err != nil {
					t.Fatal(err)
				}
				selected(o.String(), &m.Spec.Selector, intstr.FromString(m.Spec.PodMetricsEndpoints[0].Port))
				answers(t, m.Spec.PodMetricsEndpoints[0].Path)
			case "ScaledObject":
				var s struct {
					Spec struct{ ScaleTargetRef struct{ Name string } }
				}
				if err := yaml.Unmarshal(o.yaml, &s); err != nil {
					t.Fatal(err)
				}
				if !slices.ContainsFunc(of[*appsv1.Deployment](all), func(d *appsv1.Deployment) bool {
					return d.Name == s.Spec.ScaleTargetRef.Name && d.Spec.Replicas == nil
				}) {
					t.Errorf("%s scales %s: no such Deployment without replicas", o, s.Spec.ScaleTargetRef.Name)
				}
			}
		}
	})
}

// answers checks that the admin listener serves a path.
func answers(t *testing.T, path string) {
	t.Helper()
	h := telemetry.Admin(telemetry.AdminOptions{Metrics: telemetry.NewMetrics(), Health: &telemetry.Health{}})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	if w.Code != http.StatusOK {
		t.Errorf("the admin listener answers %d on %s", w.Code, path)
	}
}

// TestProbes checks that the programs serve the paths of their probes, that readiness is
// /readyz, and that what restarts a pod does not depend on NATS.
func TestProbes(t *testing.T) {
	each(t, func(t *testing.T, all rendered) {
		for _, name := range []string{"helve-dispatcher", "helve-worker"} {
			c := all.part(t, name).Spec.Containers[0]
			for _, tt := range []struct {
				probe *corev1.Probe
				path  string
			}{{c.StartupProbe, "/healthz"}, {c.LivenessProbe, "/healthz"}, {c.ReadinessProbe, "/readyz"}} {
				if tt.probe.HTTPGet.Path != tt.path || tt.probe.HTTPGet.Port.StrVal != "admin" {
					t.Errorf("%s: a probe of %s, want %s on admin", name, tt.probe.HTTPGet.Path, tt.path)
				}
				answers(t, tt.probe.HTTPGet.Path)
			}
			if c.ReadinessProbe.TimeoutSeconds <= 1 {
				t.Errorf("%s: /readyz may take a second; the probe waits %d s", name, c.ReadinessProbe.TimeoutSeconds)
			}
		}
	})
}
