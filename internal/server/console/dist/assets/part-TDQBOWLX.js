import{k as o}from"/assets/part-LJXN6WAF.js";var a=o(!1);export{a};
