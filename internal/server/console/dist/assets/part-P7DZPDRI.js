import{k as o}from"/assets/part-QN3SRDIQ.js";var a=o(!1);export{a};
