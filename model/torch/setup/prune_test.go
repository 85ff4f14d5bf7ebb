package setup

import (
	"strings"
	"testing"
)

const generatedGo = `package libtch

//#include "torch_api.h"
import "C"
import "unsafe"

func AtgMm(ptr *Ctensor, self Ctensor, mat2 Ctensor){
	C.atg_mm(ptr, self, mat2)
}
func AtgSum(ptr *Ctensor, self Ctensor, dtype int32){
	cdtype := *(*C.int)(unsafe.Pointer(&dtype))
	C.atg_sum(ptr, self, cdtype)
}
func Atg_Softmax(ptr *Ctensor, self Ctensor){
	C.atg__softmax(ptr, self)
}
`

const generatedCPP = `// generated

void atg_mm(tensor *out__, tensor self, tensor mat2) {
  PROTECT(
    auto outputs__ = torch::mm(*self, *mat2);
    out__[0] = new torch::Tensor(outputs__);
  )
}

void atg_mm_out(tensor *out__, tensor out, tensor self, tensor mat2) {
  PROTECT(
    auto outputs__ = torch::mm_out(*out, *self, *mat2);
  )
}

tensor *atg_unbind(tensor self, int64_t dim) {
  PROTECT(
    return nullptr;
  )
}
`

func TestPruneGo(t *testing.T) {
	pruned, c, err := pruneGo("x.go", []byte(generatedGo), map[string]bool{"AtgMm": true, "Atg_Softmax": true})
	if err != nil {
		t.Fatal(err)
	}
	text := string(pruned)
	if !strings.Contains(text, "func AtgMm(") || !strings.Contains(text, "func Atg_Softmax(") || strings.Contains(text, "AtgSum") {
		t.Errorf("kept the wrong functions:\n%s", text)
	}
	if strings.Contains(text, `"unsafe"`) {
		t.Errorf("imports unsafe, which nothing uses:\n%s", text)
	}
	if len(c) != 2 || !c["atg_mm"] || !c["atg__softmax"] {
		t.Errorf("C functions are %v", c)
	}
}

func TestPruneCPP(t *testing.T) {
	keep := map[string]bool{"atg_mm": true, "atg_unbind": true}
	got := pruneCPP(generatedCPP, keep)
	if strings.Count(got, "\n}\n") != 2 || strings.Contains(got, "mm_out") || !strings.Contains(got, "tensor *atg_unbind") {
		t.Errorf("kept:\n%s", got)
	}
	header := pruneHeader("void atg_mm(tensor *, tensor self);\nvoid atg_mm_out(tensor *);\ntensor *atg_unbind(tensor self);\n", keep)
	if want := "void atg_mm(tensor *, tensor self);\ntensor *atg_unbind(tensor self);\n"; header != want {
		t.Errorf("header is %q, want %q", header, want)
	}
}

func TestReplaceBody(t *testing.T) {
	got, err := replaceBody(generatedCPP, "atg_mm", "not there")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got, `PROTECT(throw std::runtime_error("not there");)`) || strings.Contains(got, "torch::mm(") || !strings.Contains(got, "torch::mm_out(") {
		t.Errorf("replaced:\n%s", got)
	}
	if _, err := replaceBody(generatedCPP, "atg_addmm", "x"); err == nil {
		t.Error("a function that is not there is replaced")
	}
}
