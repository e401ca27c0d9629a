"""What single instructions of litmus tests do to registers and memory, and what is said of those that are unknown."""

from __future__ import annotations

import pytest

from fencepost import litmus
from fencepost.frontends import InputError, loads

# Initial state, instructions, what holds at the end.
AARCH64 = [
    ("0:X3=5; 0:X4=3;", "ADD X0,X3,X4", "0:X0=8"),
    ("0:X3=5;", "ADD X0,X3,#8", "0:X0=13"),
    ("0:X3=5; 0:X4=3;", "ADD X0,X3,X4,LSL #2", "0:X0=17"),
    ("0:X3=5; 0:W4=-1;", "ADD X0,X3,W4,SXTW", "0:X0=4"),
    ("0:X3=5;", "SUB X0,X3,#1", "0:X0=4"),
    ("0:X3=6; 0:X4=3;", "AND X0,X3,X4", "0:X0=2"),
    ("0:X3=6; 0:X4=3;", "ORR X0,X3,X4", "0:X0=7"),
    ("0:X3=6; 0:X4=3;", "EOR X0,X3,X4", "0:X0=5"),
    ("0:X3=6; 0:X4=3;", "BIC X0,X3,X4", "0:X0=4"),
    ("0:X3=6;", "LSL X0,X3,#2", "0:X0=24"),
    ("0:X3=6;", "LSR X0,X3,#1", "0:X0=3"),
    ("", "MOV W0,#-1", "0:X0=4294967295"),
    ("", "MOVZ X0,#1,LSL #16", "0:X0=65536"),
    ("0:X0=5;", "MOVK X0,#1,LSL #16", "0:X0=65541"),
    ("0:X3=511;", "UXTB W0,W3", "0:X0=255"),
    ("0:X3=5;", "CMP X3,#5 ; CSET W0,EQ", "0:X0=1"),
    ("0:X3=5; 0:X4=7;", "CMP X3,#4 ; CSEL X0,X3,X4,LT", "0:X0=7"),
    ("0:X3=5;", "CBZ X3,L ; MOV X0,#1 ; L:", "0:X0=1"),
    ("0:X3=4;", "TBZ X3,#2,L ; MOV X0,#1 ; L:", "0:X0=1"),
    ("0:X1=x; int64_t x=7;", "LDR X0,[X1]", "0:X0=7"),
    ("0:X1=x; int64_t x=7;", "LDAPUR X0,[X1]", "0:X0=7"),
    ("0:X1=a; int64_t a[2]={3,4}; 0:X3=9;", "LDAPUR X0,[X1,#8] ; STLUR X3,[X1,#8]", "0:X0=4 /\\ a[1]=9"),
    ("0:X3=5; 0:X4=7;", "CMP X3,#5 ; CSINC W0,W3,W4,NE ; CSET W5,GT ; CINC W6,W3,EQ", "0:X0=8 /\\ 0:X5=0 /\\ 0:X6=6"),
    ("0:X3=5; 0:X4=7;", "CMP X3,#4 ; CSINV W0,W3,W4,LT ; CSNEG X5,X3,X4,LT", "0:X0=4294967288 /\\ 0:X5=-7"),
    ("0:X3=5;", "CBZ X3,L ; MOV X0,#1 ; RET ; L: MOV X0,#2", "0:X0=1"),
    ("0:X1=x; x=-1;", "LDR W0,[X1]", "0:X0=-1 /\\ 0:X0=4294967295 /\\ x=-1"),
    ("0:X1=x; x=-1; int64_t 0:X0;", "LDR W0,[X1]", "0:X0=4294967295 /\\ 0:X0!=-1"),
    ("0:X1=x; int64_t x=-1;", "LDR X0,[X1]", "0:X0=-1 /\\ 0:X0!=4294967295 /\\ x=-1"),
    ("0:X1=x; int64_t x=7; 0:X3=9;", "STLUR X3,[X1]", "x=9"),
    ("0:X1=x; int64_t x=7; 0:X3=9;", "SWPAL X3,X0,[X1]", "0:X0=7 /\\ x=9"),
    ("0:X1=x; int64_t x=7; 0:X3=2;", "LDADDA X3,X0,[X1]", "0:X0=7 /\\ x=9"),
    ("0:X1=x; int64_t x=7; 0:X3=2;", "LDCLR X3,X0,[X1]", "0:X0=7 /\\ x=5"),
    ("0:X1=x; int64_t x=7; 0:X3=9;", "LDSMAX X3,X0,[X1]", "0:X0=7 /\\ x=9"),
    ("0:X1=x; int64_t x=7; 0:X3=2;", "STADD X3,[X1]", "x=9"),
    ("0:X1=x; int64_t x=7; 0:X3=7; 0:X4=1;", "CAS X3,X4,[X1]", "0:X3=7 /\\ x=1"),
    ("0:X1=x; int64_t x=7; 0:X3=6; 0:X4=1;", "CAS X3,X4,[X1]", "0:X3=7 /\\ x=7"),
    ("0:X1=x; uint8_t x=7; 0:X3=9;", "STRB W3,[X1] ; LDRB W0,[X1]", "0:X0=9"),
    ("0:X1=a; int64_t a[2]={3,4};", "LDR X0,[X1,#8]", "0:X0=4"),
    ("0:X1=a; int64_t a[2]={3,4}; 0:X3=9;", "STP X3,X3,[X1]", "a[0]=9 /\\ a[1]=9"),
    ("0:X1=p; int64_t *p=x; int64_t x=5;", "LDR X2,[X1] ; LDR X0,[X2]", "0:X0=5"),
]
ARM = [
    ("0:R3=5;", "ADD R0,R3,#1", "0:R0=6"),
    ("0:R3=5;", "RSB R0,R3,#7", "0:R0=2"),
    ("0:R3=5;", "CMP R3,#5 ; MOVEQ R0,#1", "0:R0=1"),
    ("0:R3=5;", "CMP R3,#4 ; MOVEQ R0,#1", "0:R0=0"),
    ("0:R3=5;", "CMP R3,#4 ; BNE L ; MOV R0,#1 ; L:", "0:R0=0"),
    ("0:R1=x; x=7;", "LDR R0,[R1]", "0:R0=7"),
    ("0:R1=x; 0:R3=9;", "STR R3,[R1]", "x=9"),
    ("0:R1=x; 0:R3=0; x=7;", "LDR R0,[R1,R3]", "0:R0=7"),
    ("", "MOVW R0,#1 ; MOVT R0,#1", "0:R0=65537"),
    ("0:R1=a; int a[3]={3,4,5};", "LDRD R2,R3,[R1] ; LDRD R4,[R1,#4]", "0:R2=3 /\\ 0:R3=4 /\\ 0:R4=4 /\\ 0:R5=5"),
    ("0:R1=a; int a[3]={3,4,5};", "LDMIB R1,{R2,R3} ; LDM R1!,{R4,R5} ; LDR R6,[R1]", "0:R3=5 /\\ 0:R5=4 /\\ 0:R6=5"),
    ("0:R1=a; int a[2]={3,4};", "LDM R1,{R0,R1}", "0:R0=3 /\\ 0:R1=4"),
    ("0:R3=1;", "CMP R3,#1 ; MOVNE R0,#1 ; BX LR ; MOV R0,#2", "0:R0=0"),
]
PPC = [
    ("", "li r3,5", "0:r3=5"),
    ("0:r4=5;", "addi r3,r4,1", "0:r3=6"),
    ("0:r4=5;", "subi r3,r4,1", "0:r3=4"),
    ("0:r4=5; 0:r5=7;", "subf r3,r4,r5", "0:r3=2"),
    ("0:r4=6; 0:r5=3;", "xor r3,r4,r5", "0:r3=5"),
    ("0:r4=6;", "cmpwi r4,6 ; bne L ; li r3,1 ; L:", "0:r3=1"),
    ("0:r4=6;", "cmpwi cr7,r4,6 ; beq cr7,L ; li r3,1 ; L:", "0:r3=0"),
    ("0:r1=x; x=7;", "lwz r3,0(r1)", "0:r3=7"),
    ("0:r1=x; x=-1; int64_t 0:r3; int64_t 0:r4;", "lwz r3,0(r1) ; lwa r4,0(r1)", "0:r3=4294967295 /\\ 0:r4=-1"),
    ("0:r4=0xff0000f0;", "rlwinm r3,r4,8,24,31 ; rlwinm r5,r4,0,24,27", "0:r3=255 /\\ 0:r5=240"),
    ("0:r4=1; uint64_t 0:r3;", "rlwinm r3,r4,0,31,30", "0:r3=0x100000001"),
    ("0:r3=0xaaaa; 0:r4=-1;", "rlwimi r3,r4,4,30,31", "0:r3=0xaaab"),
    ("0:r4=-1; uint64_t 0:r3;", "clrldi r3,r4,32 ; clrlwi r5,r4,24", "0:r3=0xffffffff /\\ 0:r5=255"),
    ("", "li r3,1 ; blr ; li r3,2", "0:r3=1"),
    ("0:r1=x; 0:r4=0; x=7;", "lwzx r3,r4,r1", "0:r3=7"),
    ("0:r1=x; 0:r4=9;", "stw r4,0(r1)", "x=9"),
]
X86 = [
    ("", "MOV EAX,$5", "0:EAX=5"),
    ("", "MOV EAX,$5 ; ADD EAX,$3", "0:EAX=8"),
    ("x=7;", "MOV EAX,[x]", "0:EAX=7"),
    ("x=7;", "INC [x]", "x=8"),
    ("x=7;", "PAUSE ; LOCK DEC [x]", "x=6"),
    ("x=7; 0:EAX=9;", "XCHG [x],EAX", "0:EAX=7 /\\ x=9"),
    ("x=7; 0:EAX=2;", "LOCK XADD [x],EAX", "0:EAX=7 /\\ x=9"),
    ("x=7; 0:EAX=7; 0:EBX=1;", "LOCK CMPXCHG [x],EBX", "0:EAX=7 /\\ x=1"),
    ("x=7; 0:EAX=6; 0:EBX=1;", "LOCK CMPXCHG [x],EBX", "0:EAX=7 /\\ x=7"),
    ("0:EBX=3;", "CMP EBX,$3 ; JNE L ; MOV EAX,$1 ; L:", "0:EAX=1"),
    ("0:EBX=3;", "CMP EBX,$4 ; SETE AL", "0:EAX=0"),
    ("0:EBX=3; 0:ECX=1;", "TEST EBX,EBX ; CMOVNE EAX,ECX", "0:EAX=1"),
]
X86_64 = [
    ("0:rdi=x; x=7;", "movl (%rdi),%eax", "0:rax=7"),
    ("0:rdi=x; x=7;", "lock incl (%rdi)", "x=8"),
    ("0:rdi=x; x=7;", "movl $2,%eax ; lock xaddl %eax,(%rdi)", "0:rax=7 /\\ x=9"),
    ("x=7;", "movl $1,(x)", "x=1"),
    ("int8_t x=-1;", "movzbl (x),%eax ; movsbl (x),%ebx", "0:eax=255 /\\ 0:ebx=-1"),
    ("0:rbx=-1;", "nopl 0(%rax,%rax,1) ; movslq %ebx,%rax ; ret ; movl $2,%eax", "0:rax=-1"),
]
CASES = [
    (architecture, *case)
    for architecture, cases in (("AArch64", AARCH64), ("ARM", ARM), ("PPC", PPC), ("X86", X86), ("X86_64", X86_64))
    for case in cases
]


def test_of(architecture: str, initial: str, code: str, condition: str) -> str:
    rows = "".join(f" {row.strip()} ;\n" for row in code.split(" ; "))
    return f"{architecture} T\n{{ {initial} }}\n P0 ;\n{rows}forall ({condition})\n"


test_of.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize(("architecture", "initial", "code", "condition"), CASES, ids=lambda text: str(text)[:40])
def test_what_an_instruction_does(architecture: str, initial: str, code: str, condition: str) -> None:
    result = litmus(loads(test_of(architecture, initial, code, condition), "t.litmus"), model="sc")
    assert result.unknown is None
    assert result.is_satisfied, [dict(state.values) for state in result.states]


@pytest.mark.parametrize(
    ("architecture", "code"),
    [("AArch64", "TLBI VAE1,X1"), ("ARM", "SADD16 R0,R1,R2"), ("PPC", "mflr r3"), ("X86", "CLFLUSH [x]")],
)
def test_an_unknown_instruction_is_named_with_its_line(architecture: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        loads(test_of(architecture, "x=0;", code, "x=0"), "t.litmus")
    assert (caught.value.line, caught.value.column) == (4, 2)
    assert caught.value.message == f"unsupported instruction '{code}'"
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("the nearest that are known for ")
    assert caught.value.hint.count(",") == 5


@pytest.mark.parametrize(
    ("architecture", "initial", "code", "message"),
    [
        ("AArch64", "0:X30=1;", "RET", "a return is supported only where the test gives X30 no value"),
        ("AArch64", "", "RET X1", "RET is supported with X30 only"),
        ("ARM", "", "BX R1", "BX is supported with LR only"),
        ("ARM", "0:R1=a; int a[2];", "LDM R1,{R3,R2}", "the numbers of the registers must grow"),
        ("PPC", "", "rlwinm r3,r4,5,0,32", "expected a number from 0 to 31"),
        ("PPC", "0:r0=x;", "lwz r3,0(r0)", "r0 stands for zero here"),
    ],
)
def test_what_an_instruction_cannot_be_is_said(architecture: str, initial: str, code: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        loads(test_of(architecture, initial, code, "true"), "t.litmus")


def test_an_array_may_be_declared_after_its_address_is_used() -> None:
    for declaration in ("int64_t a[2]={3,4}; 0:X1=a;", "0:X1=a; int64_t a[2]={3,4};", "0:X1=a; 0:X2=b; int64_t a[2];"):
        program = loads(test_of("AArch64", declaration, "STR X9,[X1,#8]", "a[1]=0"), "t.litmus")
        assert program.location("a").size == 2
        index = program.threads[0].code[0].ref.index  # type: ignore[union-attr]
        assert index is not None
    with pytest.raises(InputError, match="must be declared before its address is used"):
        loads(test_of("AArch64", "0:X1=a; int64_t a[600];", "LDR X0,[X1]", "0:X0=0"), "t.litmus")
