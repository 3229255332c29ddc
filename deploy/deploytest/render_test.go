package deploytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const manifests = "../k8s"

// installations are the directories that an operator applies.
var installations = []string{"overlays/dev", "overlays/prod"}

// object is one rendered object. typed is nil for kinds that are not Kubernetes' own.
type object struct {
	gvk   schema.GroupVersionKind
	name  string
	yaml  []byte
	typed runtime.Object
}

func (o *object) String() string { return o.gvk.Kind + " " + o.name }

// rendered is an installation as kustomize renders it.
type rendered []*object

// render renders a directory below deploy/k8s and decodes each object strictly.
func render(t *testing.T, dir string) rendered {
	t.Helper()
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(manifests, dir))
	if err != nil {
		t.Fatalf("kustomize build %s: %v", dir, err)
	}
	var all rendered
	for _, r := range made.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		gvk := schema.FromAPIVersionAndKind(r.GetApiVersion(), r.GetKind())
		o := &object{gvk: gvk, name: r.GetName(), yaml: text}
		if scheme.Scheme.Recognizes(gvk) {
			if o.typed, err = scheme.Scheme.New(gvk); err != nil {
				t.Fatal(err)
			}
			if err := yaml.UnmarshalStrict(text, o.typed); err != nil {
				t.Errorf("%s in %s: %v", o, dir, err)
			}
		}
		all = append(all, o)
	}
	if len(all) == 0 {
		t.Fatalf("%s is empty", dir)
	}
	return all
}

// each runs a test on every installation.
func each(t *testing.T, f func(t *testing.T, all rendered)) {
	for _, dir := range installations {
		t.Run(filepath.Base(dir), func(t *testing.T) { f(t, render(t, dir)) })
	}
}

// of returns the objects of one type.
func of[T runtime.Object](all rendered) (found []T) {
	for _, o := range all {
		if typed, ok := o.typed.(T); ok {
			found = append(found, typed)
		}
	}
	return found
}

// pods is the template of a workload.
type pods struct {
	owner string
	metav1.ObjectMeta
	Spec corev1.PodSpec
}

// pods returns the pod templates of all workloads.
func (all rendered) pods() (found []pods) {
	add := func(o *object, t *corev1.PodTemplateSpec) {
		found = append(found, pods{owner: o.String(), ObjectMeta: t.ObjectMeta, Spec: t.Spec})
	}
	for _, o := range all {
		switch w := o.typed.(type) {
		case *appsv1.Deployment:
			add(o, &w.Spec.Template)
		case *appsv1.StatefulSet:
			add(o, &w.Spec.Template)
		case *batchv1.Job:
			add(o, &w.Spec.Template)
		}
	}
	return found
}

// part returns the pods whose label app.kubernetes.io/name is name.
func (all rendered) part(t *testing.T, name string) pods {
	t.Helper()
	for _, p := range all.pods() {
		if p.Labels["app.kubernetes.io/name"] == name {
			return p
		}
	}
	t.Fatalf("no pods are named %s", name)
	return pods{}
}

// setting returns a file of the ConfigMap whose name begins with prefix.
func (all rendered) setting(t *testing.T, prefix, file string) string {
	t.Helper()
	for _, m := range of[*corev1.ConfigMap](all) {
		if text, ok := m.Data[file]; ok && strings.HasPrefix(m.Name, prefix) {
			return text
		}
	}
	t.Fatalf("no ConfigMap %s has the file %s", prefix, file)
	return ""
}

// page returns the text of the operators' page.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
