package deploytest

import (
	"net/netip"
	"slices"
	"strconv"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// peer is one end of a connection: a pod of the installation, a pod of another namespace, or
// an address.
type peer struct {
	pod       *pods
	namespace map[string]string
	labels    map[string]string
	ip        string
}

func selects(t *testing.T, s *metav1.LabelSelector, set map[string]string) bool {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		t.Fatal(err)
	}
	return selector.Matches(labels.Set(set))
}

func (p peer) matches(t *testing.T, to networkingv1.NetworkPolicyPeer) bool {
	t.Helper()
	switch {
	case to.IPBlock != nil:
		if p.ip == "" {
			return false
		}
		ip := netip.MustParseAddr(p.ip)
		return netip.MustParsePrefix(to.IPBlock.CIDR).Contains(ip) &&
			!slices.ContainsFunc(to.IPBlock.Except, func(cidr string) bool { return netip.MustParsePrefix(cidr).Contains(ip) })
	case p.ip != "":
		return false
	case to.NamespaceSelector != nil:
		return p.pod == nil && selects(t, to.NamespaceSelector, p.namespace) && (to.PodSelector == nil || selects(t, to.PodSelector, p.labels))
	}
	return p.pod != nil && selects(t, to.PodSelector, p.pod.Labels)
}

// number returns the port of a rule; a name is a port of the pod that is reached.
func number(at *pods, port *intstr.IntOrString) int {
	if port.Type == intstr.Int {
		return port.IntValue()
	}
	if at != nil {
		for _, c := range at.Spec.Containers {
			for _, p := range c.Ports {
				if p.Name == port.StrVal {
					return int(p.ContainerPort)
				}
			}
		}
	}
	return -1
}

func allows(
	t *testing.T, ports []networkingv1.NetworkPolicyPort, peers []networkingv1.NetworkPolicyPeer, server *pods, other peer, port int,
) bool {
	t.Helper()
	return slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool { return number(server, p.Port) == port }) &&
		slices.ContainsFunc(peers, func(to networkingv1.NetworkPolicyPeer) bool { return other.matches(t, to) })
}

// connects reports whether the policies let from connect to a port of to. Every pod is
// selected by the policy that denies both directions.
func (all rendered) connects(t *testing.T, from, to peer, port int) bool {
	t.Helper()
	out, in := from.pod == nil, to.pod == nil
	for _, p := range of[*networkingv1.NetworkPolicy](all) {
		if from.pod != nil && selects(t, &p.Spec.PodSelector, from.pod.Labels) {
			for _, rule := range p.Spec.Egress {
				out = out || allows(t, rule.Ports, rule.To, to.pod, to, port)
			}
		}
		if to.pod != nil && selects(t, &p.Spec.PodSelector, to.pod.Labels) {
			for _, rule := range p.Spec.Ingress {
				in = in || allows(t, rule.Ports, rule.From, to.pod, from, port)
			}
		}
	}
	return out && in
}

// TestNetworkPolicies checks each connection that the parts make, and many that none makes.
func TestNetworkPolicies(t *testing.T) {
	each(t, func(t *testing.T, all rendered) {
		pod := func(name string) peer { p := all.part(t, name); return peer{pod: &p} }
		in := func(ns string) peer { return peer{namespace: map[string]string{"kubernetes.io/metadata.name": ns}} }
		nats, dispatcher, worker := pod("helve-nats"), pod("helve-dispatcher"), pod("helve-worker")
		dns := peer{namespace: map[string]string{"kubernetes.io/metadata.name": "kube-system"}, labels: map[string]string{"k8s-app": "kube-dns"}}
		public, private, metadata := peer{ip: "93.184.215.14"}, peer{ip: "192.168.1.1"}, peer{ip: "169.254.169.254"}
		client := peer{pod: &pods{owner: "a client", ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"helve.dev/nats-client": "true"}}}}
		stranger := peer{pod: &pods{owner: "a stranger"}}
		postgres, prod := peer{ip: "10.1.2.3"}, t.Name() == "TestNetworkPolicies/prod"

		for _, tt := range []struct {
			name     string
			from, to peer
			port     int
			want     bool
		}{
			{"dispatcher to NATS", dispatcher, nats, 4222, true},
			{"dispatcher to NATS' monitoring", dispatcher, nats, 8222, true},
			{"worker to NATS", worker, nats, 4222, true},
			{"NATS to NATS", nats, nats, 6222, true},
			{"dispatcher to DNS", dispatcher, dns, 53, true},
			{"worker to DNS", worker, dns, 53, true},
			{"NATS to DNS", nats, dns, 53, true},
			{"Prometheus to dispatcher", in("monitoring"), dispatcher, 9090, true},
			{"Prometheus to worker", in("monitoring"), worker, 9090, true},
			{"Prometheus to NATS", in("monitoring"), nats, 8222, true},
			{"worker to the web", worker, public, 443, true},
			{"worker to mail", worker, public, 587, true},
			{"Ingress to dispatcher", in("ingress-nginx"), dispatcher, 8080, prod},
			{"dispatcher to PostgreSQL", dispatcher, postgres, 5432, prod},
			{"worker to PostgreSQL", worker, postgres, 5432, prod},
			{"dispatcher to an issuer", dispatcher, public, 443, prod},

			{"worker to NATS' monitoring", worker, nats, 8222, false},
			{"worker to NATS' routes", worker, nats, 6222, false},
			{"worker to dispatcher", worker, dispatcher, 8080, false},
			{"worker to dispatcher's metrics", worker, dispatcher, 9090, false},
			{"worker to worker", worker, worker, 9090, false},
			{"worker to the private network", worker, private, 443, false},
			{"worker to the machine's metadata", worker, metadata, 80, false},
			{"worker to SSH", worker, public, 22, false},
			{"NATS to the web", nats, public, 443, false},
			{"NATS to worker", nats, worker, 9090, false},
			{"NATS to PostgreSQL", nats, postgres, 5432, false},
			{"Ingress to metrics", in("ingress-nginx"), dispatcher, 9090, false},
			{"Ingress to NATS", in("ingress-nginx"), nats, 4222, false},
			{"another namespace to NATS", in("default"), nats, 4222, false},
			{"another namespace to dispatcher", in("default"), dispatcher, 8080, false},
			{"a pod without the label to NATS", stranger, nats, 4222, false},
		} {
			if got := all.connects(t, tt.from, tt.to, tt.port); got != tt.want {
				t.Errorf("%s, port %d: allowed %t, want %t", tt.name, tt.port, got, tt.want)
			}
		}
		// The rule for clients' own egress is theirs; NATS lets them in.
		for _, p := range of[*networkingv1.NetworkPolicy](all) {
			if p.Name != "helve-nats" {
				continue
			}
			rule := p.Spec.Ingress[0]
			if !allows(t, rule.Ports, rule.From, nats.pod, client, 4222) {
				t.Error("a pod with the label helve.dev/nats-client does not reach NATS")
			}
		}
		all.portsAreReached(t)
	})
}

// portsAreReached checks that each port of a container is in a rule, and that each policy
// selects pods.
func (all rendered) portsAreReached(t *testing.T) {
	t.Helper()
	policies := of[*networkingv1.NetworkPolicy](all)
	for _, p := range all.pods() {
		for _, c := range p.Spec.Containers {
			for _, port := range c.Ports {
				reached := slices.ContainsFunc(policies, func(n *networkingv1.NetworkPolicy) bool {
					return selects(t, &n.Spec.PodSelector, p.Labels) &&
						slices.ContainsFunc(n.Spec.Ingress, func(r networkingv1.NetworkPolicyIngressRule) bool {
							return slices.ContainsFunc(r.Ports, func(q networkingv1.NetworkPolicyPort) bool {
								return number(&p, q.Port) == int(port.ContainerPort)
							})
						})
				})
				dev := port.Name == "http" && t.Name() == "TestNetworkPolicies/dev" // on loopback, for port-forward
				if !reached && !dev {
					t.Errorf("%s: no policy lets anybody reach port %s", p.owner, port.Name+" "+strconv.Itoa(int(port.ContainerPort)))
				}
			}
		}
	}
	for _, n := range policies {
		if !slices.ContainsFunc(all.pods(), func(p pods) bool { return selects(t, &n.Spec.PodSelector, p.Labels) }) {
			t.Errorf("policy %s selects no pod", n.Name)
		}
		for _, r := range n.Spec.Egress {
			for _, port := range r.Ports {
				if port.Port.Type == intstr.String {
					t.Errorf("policy %s: egress by the port name %s depends on the other pod; write the number", n.Name, port.Port.StrVal)
				}
			}
		}
	}
}
